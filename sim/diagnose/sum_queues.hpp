// Gradients that are summed beside passes and hold up none of them (ZeRO 0 and 1). Passes in which
// a data rank waits for others are none of these (lockstep.hpp).
//
// Buckets are summed one after another, and each when a backward pass has made it. Once a rank
// computes faster its passes end earlier, and the sums take as long as before: what passes no
// longer hide sticks out behind them, and the update waits for it. The next stage does not. Once
// what sticks out takes less, so does what is hidden, as both go over the same links. Where other
// tensor ranks show how much passes hide of faster sums, that is left of them.
#pragma once

#include <map>
#include <vector>

#include "diagnose/candidates.hpp"
#include "diagnose/lockstep.hpp"

namespace pipewright::diagnose {

class SumQueues {
 public:
  /// Nothing is summed beside passes.
  SumQueues() = default;
  /// `evidence` must outlive it.
  explicit SumQueues(const Evidence& evidence);

  /// What is left of passes and of all ops.
  struct Left {
    const Lockstep::Parts& parts;
    const std::vector<Time>& lengths;
  };

  /// Delays what comes behind the passes of ranks by how much more sums stick out of them with `to`
  /// than with `from`, in lengths that begin as those of `to`. `changed` are the ops that differ.
  void settle(const Left& measured, const Left& from, const Left& to, const Lengths& changed,
              std::vector<Time>& lengths) const;

 private:
  struct Pass {
    OpId body = 0;
    const std::vector<PassWindow>* windows = nullptr;
  };
  struct Queue {
    std::vector<Pass> passes;                    ///< of one rank, in order
    std::vector<OpId> sums;                      ///< that stick out of them
    OpId behind = 0;                             ///< the gap before what comes behind them
    double elsewhere = 1, hidden_elsewhere = 1;  ///< see TracedOperation

    /// What is left of the sums that passes hide when `part` of those that stick out is.
    double hidden_part(double part) const;
  };

  void add(const TracedOperation& one, OpId body, OpId gap, const Evidence& evidence, Queue& queue);
  static double left_s(const Queue& queue, const Left& measured, const Left& left);

  std::vector<Queue> queues_;
  std::map<OpId, size_t> queue_of_;  ///< by pass and by sum
};

}  // namespace pipewright::diagnose
