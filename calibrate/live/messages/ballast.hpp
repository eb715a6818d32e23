// Cargo of the sizes that a program says, when what is in the messages does not matter.
#pragma once

#include "calibrate/live/messages/cargo.hpp"
#include "calibrate/live/messages/share.hpp"

namespace pipewright::replay {

class Ballast final : public Cargo {
 public:
  /// Of what `share` does of `program`; both outlive it. Throws Failure for collectives that no
  /// ring is for.
  Ballast(const Program& program, const Share& share, uint32_t rank);

  CargoStep message(OpId transfer) override;
  void receive(OpId, const std::vector<std::byte>&) override {}
  int steps(OpId collective) override;
  CargoStep step(OpId collective, int number) override;
  void receive(OpId, int, const std::vector<std::byte>&) override {}
  void finish(OpId) override {}

 private:
  const Program& program_;
  const Share& share_;
  uint32_t rank_;
  transport::Payload payload_;  ///< as large as the largest message, of which all are made
};

}  // namespace pipewright::replay
