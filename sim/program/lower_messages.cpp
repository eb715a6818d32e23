// Messages between ranks: on lanes, in buffers, or on their own.
#include <map>

#include "program/lowering.hpp"

namespace pipewright {

OpId Lowering::transfer_of(int message, uint32_t member) {
  const Message& m = orders_.messages[message];
  const Action& a = m.producer;
  if (is_resharding_edge(a)) member = 0;
  std::vector<OpId>& ops = transfers_[message];
  if (ops.empty()) ops.assign(width(m.from_rank), none);
  if (ops[member] != none) return ops[member];
  return ops[member] = builder_.add({.type = transfer_type(a),
                                     .rank = program_rank(m.from_rank, member),
                                     .peer = program_rank(m.to_rank, member),
                                     .micro_batch = a.micro_batch,
                                     .slice = a.slice});
}

void Lowering::place_transfer(int rank, int message) {
  const bool backward = on_backward_server(orders_.messages[message].producer);
  for (uint32_t member = first_; member < last_; ++member) {
    const OpId op = transfer_of(message, member);
    wait_for_previous(server(member, backward), op);
    builder_.append(compute_lane(rank, member, backward), op);
  }
}

/// The rank arrives at a marker; each transfer waits for the markers of both its ranks, and what
/// the rank does next for all transfers.
void Lowering::place_batch(int rank, const std::vector<int>& messages) {
  for (uint32_t member = first_; member < last_; ++member) {
    const Action& a = orders_.messages[messages.front()].producer;
    const OpId arrived = add_compute(rank, member, types_.marker(), a);
    for (const int message : messages) {
      const OpId op = transfer_of(message, member);
      builder_.depend(arrived, op);
      server(member, false).previous.push_back({op, 0});
    }
  }
}

bool Lowering::fits_buffer(int message) const {
  const Action& a = orders_.messages[message].producer;
  return builder_.program.types[transfer_type(a)].bytes <= in_.send_buffer;
}

void Lowering::hand_over(int rank, int message) {
  if (!fits_buffer(message)) return place_transfer(rank, message);
  handed_over_[message].resize(width_, none);
  for (uint32_t member = first_; member < last_; ++member) {
    handed_over_[message][member] =
        add_compute(rank, member, types_.marker(), orders_.messages[message].producer);
  }
}

void Lowering::take(int rank, int message) {
  if (!fits_buffer(message)) return place_transfer(rank, message);
  taken_[message].resize(width_, none);
  for (uint32_t member = first_; member < last_; ++member) {
    const OpId op = add_compute(rank, member, types_.marker(), orders_.messages[message].producer);
    builder_.depend(transfer_of(message, member), op);
    taken_[message][member] = op;
  }
}

void Lowering::connect_transfers() {
  if (in_.send_mode == SendMode::buffered) return connect_buffers();
  if (in_.send_mode == SendMode::rendezvous) return;
  for (uint32_t member = 0; member < widest_; ++member) {
    for (size_t message = 0; message < orders_.messages.size(); ++message) {
      const Message& m = orders_.messages[message];
      Action consumer = m.producer;
      consumer.stage = m.to_stage;
      const bool sends = member < width(m.from_rank), takes = member < width(m.to_rank);
      if (!sends && !takes) continue;
      const OpId op = transfer_of(static_cast<int>(message), member);
      if (sends && in_.send_mode == SendMode::async)
        builder_.depend(exit_[piece(m.producer, member)], op);
      if (takes) builder_.depend(op, entry_[piece(consumer, member)]);
    }
  }
}

/// A message is handed over when, with it, no more bytes are on their way between the two ranks
/// than the buffer holds: that is, once enough of the earlier ones have been taken.
void Lowering::connect_buffers() {
  struct Channel {
    std::vector<int> messages;
    size_t taken = 0;  // of messages: the next one waited for
    Bytes held;
  };
  std::map<std::pair<int, int>, Channel> channels;
  for (int message = 0; message < static_cast<int>(orders_.messages.size()); ++message) {
    if (handed_over_[message].empty()) continue;
    const Message& m = orders_.messages[message];
    Channel& channel = channels[{m.from_rank, m.to_rank}];
    const auto bytes = [&](int index) {
      const OpId op = transfers_[index][0];
      return builder_.program.type(op).bytes;
    };
    channel.messages.push_back(message);
    channel.held += bytes(message);
    for (; channel.held > in_.send_buffer; ++channel.taken) {
      const int earlier = channel.messages[channel.taken];
      channel.held -= bytes(earlier);
      for (uint32_t member = 0; member < width(m.from_rank); ++member)
        builder_.depend(taken_[earlier][member], handed_over_[message][member]);
    }
    for (uint32_t member = 0; member < width(m.from_rank); ++member)
      builder_.depend(handed_over_[message][member], transfers_[message][member]);
  }
}

}  // namespace pipewright
