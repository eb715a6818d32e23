#include "program/lower_messages.hpp"

#include <map>

namespace pipewright {

using schedule::Action;

LoweredMessages::LoweredMessages(ProgramDraft& draft, const std::vector<Message>& messages)
    : draft_(draft),
      messages_(messages),
      transfers_(messages.size()),
      handed_over_(messages.size()),
      taken_(messages.size()) {}

OpId LoweredMessages::transfer_of(int message, uint32_t member) {
  const Message& m = messages_[message];
  const Action& a = m.producer;
  // Over a resharding edge there is one transfer for all members of both ranks.
  if (type_of(message).resharding != none) member = 0;
  ByMember& ops = transfers_[message];
  if (ops.empty()) ops.assign(draft_.width(m.from_rank), none);
  if (ops[member] != none) return ops[member];
  return ops[member] = draft_.builder.add({.type = transfer_type(a),
                                           .rank = draft_.program_rank(m.from_rank, member),
                                           .peer = draft_.program_rank(m.to_rank, member),
                                           .micro_batch = a.micro_batch,
                                           .slice = a.slice});
}

void LoweredMessages::place_transfer(LoweredRank& rank, int message) {
  const bool backward = rank.on_backward_server(messages_[message].producer);
  for (const uint32_t member : rank.selected()) {
    const OpId op = transfer_of(message, member);
    rank.wait_for_previous(rank.server(member, backward), op);
    draft_.builder.append(rank.compute_lane(member, backward), op);
  }
}

void LoweredMessages::place_batch(LoweredRank& rank, const std::vector<int>& messages) {
  for (const uint32_t member : rank.selected()) {
    const Action& a = messages_[messages.front()].producer;
    const OpId arrived = rank.add_compute(member, draft_.types.marker(a), a);
    for (const int message : messages) {
      const OpId op = transfer_of(message, member);
      draft_.builder.depend(arrived, op);
      rank.next_waits_for(member, op);
    }
  }
}

void LoweredMessages::hand_over(LoweredRank& rank, int message) {
  if (!fits_buffer(message)) return place_transfer(rank, message);
  handed_over_[message].resize(rank.width(), none);
  for (const uint32_t member : rank.selected()) {
    handed_over_[message][member] = rank.add_compute(
        member, draft_.types.marker(messages_[message].producer), messages_[message].producer);
  }
}

void LoweredMessages::take(LoweredRank& rank, int message) {
  if (!fits_buffer(message)) return place_transfer(rank, message);
  taken_[message].resize(rank.width(), none);
  for (const uint32_t member : rank.selected()) {
    const OpId op = rank.add_compute(member, draft_.types.marker(messages_[message].producer),
                                     messages_[message].producer);
    draft_.builder.depend(transfer_of(message, member), op);
    taken_[message][member] = op;
  }
}

void LoweredMessages::connect() {
  if (draft_.in.send_mode == SendMode::buffered) return connect_buffers();
  if (draft_.in.send_mode == SendMode::rendezvous) return;
  for (uint32_t member = 0; member < draft_.widest; ++member)
    for (size_t message = 0; message < messages_.size(); ++message)
      connect_transfer(static_cast<int>(message), member);
}

/// Connects a message that stands in no lane of its receiver.
void LoweredMessages::connect_transfer(int message, uint32_t member) {
  const Message& m = messages_[message];
  Action consumer = m.producer;
  consumer.stage = m.to_stage;
  const bool sends = member < draft_.width(m.from_rank), takes = member < draft_.width(m.to_rank);
  if (!sends && !takes) return;
  const OpId op = transfer_of(message, member);
  if (sends && draft_.in.send_mode == SendMode::async)
    draft_.builder.depend(draft_.ends.last(m.producer, member), op);
  if (takes) draft_.builder.depend(op, draft_.ends.first(consumer, member));
}

/// A message is handed over when, with it, no more bytes are on their way between the two ranks
/// than the buffer holds: that is, once enough of the earlier ones have been taken.
void LoweredMessages::connect_buffers() {
  struct Channel {
    std::vector<int> messages;
    size_t taken = 0;  // of messages: the next one waited for
    Bytes held;
  };
  std::map<std::pair<int, int>, Channel> channels;
  ProgramBuilder& builder = draft_.builder;
  for (int message = 0; message < static_cast<int>(messages_.size()); ++message) {
    if (handed_over_[message].empty()) continue;
    const Message& m = messages_[message];
    Channel& channel = channels[{m.from_rank, m.to_rank}];
    channel.messages.push_back(message);
    channel.held += type_of(message).bytes;
    for (; channel.held > draft_.in.send_buffer; ++channel.taken) {
      const int earlier = channel.messages[channel.taken];
      channel.held -= type_of(earlier).bytes;
      for (uint32_t member = 0; member < draft_.width(m.from_rank); ++member)
        builder.depend(taken_[earlier][member], handed_over_[message][member]);
    }
    for (uint32_t member = 0; member < draft_.width(m.from_rank); ++member)
      builder.depend(handed_over_[message][member], transfers_[message][member]);
  }
}

}  // namespace pipewright
