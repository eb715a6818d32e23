// How the ranks of a schedule post their messages when they hold on for each other. The order alone
// decides it, whoever made it.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright {

enum class Posting : uint8_t {
  /// Sends after their pass, receives right before the pass that needs them, as Megatron-LM's 1F1B.
  in_turn,
  /// Everything between two passes at once, as Megatron-LM's interleaved schedule.
  looped,
  /// Everything between two ops at once, receives in the batch in which their message comes: as
  /// posting.hpp says.
  ahead,
};

/// Chooses for an order. Backward passes in halves are posted ahead. With one stage a rank a
/// schedule is posted in turn where, at every backward pass, no stage has done more than one
/// forward more than the next stage at the same backward pass, as in 1F1B and GPipe: then nobody
/// stands still for a partner that computes. Stages looped over the ranks are posted as Megatron-LM
/// does where no rank begins with more micro-batches of one stage than there are ranks: the first
/// message has come round by then.
Posting choose_posting(const schedule::Schedule& schedule);

}  // namespace pipewright
