// Lowers messages between ranks: on lanes, in buffers, or on their own.
#pragma once

#include "program/lowered_rank.hpp"
#include "program/rank_order.hpp"

namespace pipewright {

/// The messages of a lowering. Each stands in the lanes of the ranks that wait for it; what needs
/// both its ranks is connected when all ranks are there.
class LoweredMessages {
 public:
  LoweredMessages(ProgramDraft& draft, const std::vector<Message>& messages);

  /// Puts a transfer on the compute lane of one of its ranks.
  void place_transfer(LoweredRank& rank, int message);
  /// Places messages that are posted at once: the rank arrives at a marker. Each transfer waits for
  /// the markers of both its ranks, and what the rank does next for all transfers.
  void place_batch(LoweredRank& rank, const std::vector<int>& messages);
  /// Hands a message over to the receiver's buffer.
  void hand_over(LoweredRank& rank, int message);
  /// Takes a message out of the buffer.
  void take(LoweredRank& rank, int message);
  void connect();

 private:
  using ByMember = std::vector<OpId>;  ///< empty until needed

  uint32_t transfer_type(const schedule::Action& producer) const {
    return draft_.types.transfer(producer.pass, producer.stage, producer.slice);
  }
  const OpType& type_of(int message) const {
    return draft_.builder.program.types[transfer_type(messages_[message].producer)];
  }
  bool fits_buffer(int message) const { return type_of(message).bytes <= draft_.in.send_buffer; }
  OpId transfer_of(int message, uint32_t member);
  void connect_transfer(int message, uint32_t member);
  void connect_buffers();

  ProgramDraft& draft_;
  const std::vector<Message>& messages_;
  /// The transfer, and the markers of a buffered one, by message.
  std::vector<ByMember> transfers_, handed_over_, taken_;
};

}  // namespace pipewright
