// Schedules with controllable memory (arXiv 2405.15362): one micro-batch's passes on a V of two
// chunks a rank, given as time slots, repeated every six slots. How long the block holds a chunk
// decides the memory.
//
// From the repeated block: (1) W's go to idle slots, oldest first; (2) passes of the warm-up and
// the drain move to the earliest idle slot that their inputs, and the peak memory of the whole
// pattern, allow; (3) the same again for the drain alone, with W's wherever a slot is idle; (4) W's
// are placed anew, those of the second chunk first. Equal pass times are assumed throughout; with
// unequal ones the order stays and bubbles grow with m.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// The slots of the first micro-batch on one rank: F of its first chunk (stage i), F and I of its
/// second (stage 2p-1-i), I of its first. No two may be equal modulo `block_interval`.
struct Block {
  int forward_first, forward_second, gradient_second, gradient_first;
};
inline constexpr int block_interval = 6;  // 2 chunks x (F, I, W)

/// The schedule made of `blocks`, one a rank, for all micro-batches of `shape`.
Schedule repeat_block(const Shape& shape, const std::vector<Block>& blocks);

}  // namespace pipewright::schedule
