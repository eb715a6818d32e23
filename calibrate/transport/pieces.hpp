// Messages cut into pieces, so that what shares a connection shares it evenly: the steps of
// collectives, and of the transfers the oldest, as the simulated network has it.
//
// Whatever is given to a connection leaves in that order, and a large MPI message is announced
// first: its bytes wait for an answer, which waits behind all that the other side is sending.
// Pieces below the size that is announced (64 KiB over Open MPI's TCP, 'btl_tcp_eager_limit') need
// no answer; taken from the messages in turn, and only as many at once as keep the connection busy,
// they leave as concurrent flows of one link do.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <tuple>

#include "calibrate/transport/transport.hpp"

namespace pipewright::transport {

/// The size of all pieces but a message's last, which is smaller and may be empty.
inline constexpr size_t piece_bytes = 32 << 10;

struct Piece {
  Channel channel = Channel::data;
  uint32_t tag = 0;
  Payload payload;
  size_t offset = 0, size = 0;
};

/// The messages in flight to one rank.
class PieceQueue {
 public:
  using Clock = std::chrono::steady_clock;

  void push(Channel channel, uint32_t tag, Payload payload, size_t size);
  /// The next piece to leave now, of each message in turn; of two transfers, or two messages with
  /// one channel and tag, all of the first one's before the second's.
  std::optional<Piece> pop();
  /// A piece that left at `since` is through at `now`.
  void done(Clock::time_point since, Clock::time_point now);
  bool empty() const { return messages_.empty() && outside_ == 0; }

 private:
  struct Message {
    uint64_t number = 0;
    Piece left;
  };
  bool is_held_back(const Message& message) const;

  std::deque<Message> messages_;
  uint64_t pushed_ = 0;
  size_t outside_ = 0;  ///< pieces that are not through yet
  size_t most_ = 2;     ///< of them
};

/// Makes packets of the pieces that come from all ranks.
class PieceJoiner {
 public:
  /// The packet that this piece completes.
  std::optional<Packet> add(Packet piece);

 private:
  std::map<std::tuple<int, Channel, uint32_t>, std::vector<std::byte>> begun_;
};

}  // namespace pipewright::transport
