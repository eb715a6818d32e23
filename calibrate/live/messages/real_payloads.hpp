// Real numbers between ranks that are processes.
#pragma once

#include <map>

#include "calibrate/live/messages/mesh_exchange.hpp"
#include "calibrate/live/messages/number_exchange.hpp"
#include "calibrate/live/messages/payloads.hpp"
#include "calibrate/live/messages/ring_exchange.hpp"

namespace pipewright::live {

class RealPayloads final : public Payloads {
 public:
  /// All outlive it.
  RealPayloads(const Program& program, uint32_t rank, NumberExchange& number_exchange,
               kernels::Kernels& kernels);

  PayloadStep message(OpId transfer) override;
  void receive(OpId transfer, const std::vector<std::byte>& bytes) override;
  int steps(OpId collective) override;
  PayloadStep step(OpId collective, int number) override;
  void receive(OpId collective, int number, const std::vector<std::byte>& bytes) override;
  void finish(OpId collective) override;

 private:
  bool is_resharding(OpId op) const { return program_.type(op).resharding != none; }
  int mesh_steps(OpId resharding);
  PayloadStep mesh_step(OpId resharding, int number);
  void receive_of_mesh(OpId resharding, int number, const std::vector<std::byte>& bytes);
  void finish_mesh(OpId resharding);

  const Program& program_;
  uint32_t rank_;
  NumberExchange& number_exchange_;
  kernels::Kernels& kernels_;
  std::map<int32_t, uint32_t> rank_of_device_;
  struct Round {
    std::vector<uint32_t> ranks;
    RingExchange exchange;
  };
  std::map<OpId, Round> rounds_;
  struct MeshRound {
    MeshExchange exchange;
    std::vector<float> numbers;  ///< that the rank has or wants
    int64_t columns = 0;
  };
  std::map<OpId, MeshRound> mesh_rounds_;
};

}  // namespace pipewright::live
