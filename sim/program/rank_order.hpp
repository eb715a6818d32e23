// A rank's order with its communication in place: what `overlap.p2p` decides.
//
//   async       transfers occupy no lane: they leave when their producer ends.
//   buffered    as async while the receiver's buffer for this sender has room; else the sender
//               waits. A message larger than the buffer is a rendezvous.
//   sender      a transfer follows its producer on the sender's compute lane.
//   rendezvous  a transfer is on the compute lanes of both sides: after its producer on one, before
//               its consumer on the other. A rank that sends to and receives from the same peer
//               between two passes posts both at once and goes on after both, as Megatron-LM's
//               send_forward_recv_backward does. Where a schedule is posted as Megatron's
//               interleaved one (posting_choice.hpp) everything between two passes is posted at
//               once, and a forward and the backward after it share what they post. Weight
//               gradients run after the rank has communicated. Where receives are posted ahead
//               whatever comes between two ops is posted at once: such orders cannot deadlock.
#pragma once

#include <optional>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipewright {

enum class SendMode : uint8_t { async, buffered, sender, rendezvous };

/// A message between neighbouring stages: the output of `producer` on its way to stage `to_stage`.
struct Message {
  int from_rank = 0, to_rank = 0;
  int to_stage = 0;
  schedule::Action producer;
};

/// One step of a rank.
struct RankStep {
  enum class Kind : uint8_t {
    pass,       ///< action `index` of the rank's order, with the next if it is a pair
    transfer,   ///< message `index`, on the compute lane
    batch,      ///< the messages `posted`, sends and receives: the rank goes on after the last
    hand_over,  ///< message `index` leaves for the receiver's buffer once there is room
    take,       ///< message `index` is taken out of the buffer
    reduce,     ///< the gradients of stage `index` for optimizer step `other` are complete here
    step,       ///< the gradients of all stages of the rank are complete for step `index`
  };
  Kind kind = Kind::pass;
  int index = 0;  ///< by kind
  std::vector<int> posted;
  int step_number = 0;
};

/// The actions that every rank runs, in order, and all messages between ranks.
struct RankOrders {
  std::vector<Message> messages;
  std::vector<std::vector<RankStep>> steps;  ///< by rank
  /// The message that the action waits for and the one it makes, by rank and position in its order;
  /// -1 for none.
  std::vector<std::vector<int>> receive, send;
};

RankOrders order_ranks(const schedule::Schedule& schedule, SendMode mode);

}  // namespace pipewright
