// Payloads of the sizes that a program says, when what is in the messages does not matter.
#pragma once

#include "calibrate/live/messages/payloads.hpp"
#include "calibrate/live/messages/share.hpp"

namespace pipewright::live {

class DummyPayloads final : public Payloads {
 public:
  /// Makes messages for what `share` does of `program`; both outlive it. Throws Failure for
  /// collectives that have no ring.
  DummyPayloads(const Program& program, const Share& share, uint32_t rank);

  PayloadStep message(OpId transfer) override;
  void receive(OpId, const std::vector<std::byte>&) override {}
  int steps(OpId collective) override;
  PayloadStep step(OpId collective, int number) override;
  void receive(OpId, int, const std::vector<std::byte>&) override {}
  void finish(OpId) override {}

 private:
  const Program& program_;
  const Share& share_;
  uint32_t rank_;
  transport::Payload payload_;  ///< as large as the largest message, of which all are made
};

}  // namespace pipewright::live
