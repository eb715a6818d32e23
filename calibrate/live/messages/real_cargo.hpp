// Real numbers between ranks that are processes.
#pragma once

#include <map>

#include "calibrate/live/messages/cargo.hpp"
#include "calibrate/live/messages/ring_exchange.hpp"
#include "calibrate/live/messages/trader.hpp"

namespace pipewright::replay {

class RealCargo final : public Cargo {
 public:
  /// All outlive it.
  RealCargo(const Program& program, uint32_t rank, Trader& trader, kernels::Kernels& kernels);

  CargoStep message(OpId transfer) override;
  void receive(OpId transfer, const std::vector<std::byte>& bytes) override;
  int steps(OpId collective) override;
  CargoStep step(OpId collective, int number) override;
  void receive(OpId collective, int number, const std::vector<std::byte>& bytes) override;
  void finish(OpId collective) override;

 private:
  const Program& program_;
  uint32_t rank_;
  Trader& trader_;
  kernels::Kernels& kernels_;
  std::map<int32_t, uint32_t> rank_of_device_;
  struct Round {
    std::vector<uint32_t> ranks;
    RingExchange exchange;
  };
  std::map<OpId, Round> rounds_;
};

}  // namespace pipewright::replay
