// Chooses where receives are posted when a rank holds on until all that it posted has been
// exchanged.
//
// Implementations of schedules with several stages on a rank place their receives by hand, in the
// batch in which the neighbour's send comes (DualPipe: deepseek-ai/DualPipe; zero bubble:
// sail-sg/zero-bubble-pipeline-parallelism): with every receive right before the pass that needs it
// they would deadlock. The rule here does it for any order. Let each rank run its order with
// forwards, I and W of length 1, B of 2, and transfers that hold nobody; x is a message, sent when
// its producer ends. Its receive is posted before the first op of the receiver that does not start
// before x is sent.
//
// That cannot deadlock: an op that starts at t there waits for batches that were posted after ops
// which start before t, on whatever rank; so no cycle can close. Nobody waits long: what the
// receiver does when x is sent had begun before.
#pragma once

#include <cstdint>
#include <vector>

namespace pipewright {

/// An op of a rank between two points at which it communicates.
struct PostingOp {
  int64_t length = 1;
  std::vector<int> sends, receives;  ///< messages
};

/// Returns, by rank and op, the messages whose receives are posted before it. `receiver` is by
/// message.
std::vector<std::vector<std::vector<int>>> post_receives(
    const std::vector<std::vector<PostingOp>>& ops, const std::vector<int>& receiver);

}  // namespace pipewright
