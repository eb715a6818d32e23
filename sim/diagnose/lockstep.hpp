// Passes that end on several data ranks at once, for they gather the weights of each layer
// together, sum its gradients or exchange tokens with its experts.
//
// Such a pass takes what its slowest rank computes and exchanges within its replica, and what bytes
// take: the wait of that rank. Once its slowest rank is faster, all of them are. Where the trace
// tells the windows of that rank (pass_windows.hpp), none of them gets shorter than its
// collectives.
#pragma once

#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// Passes that no data rank waits in are of no lockstep, whatever is hidden behind them. The
/// operations are of all ranks of a job.
void leave_lockstep(std::vector<TracedOperation>& operations);

/// The part of what was measured that a time is; 1 where nothing was.
double part_of(Time now, Time measured);

class Lockstep {
 public:
  /// By op: what a rank computes itself of a pass, what of it tensor, context and expert ranks
  /// exchange, and what it waits for bytes of data ranks. Zero of all other ops.
  struct Parts {
    std::vector<Time> own, exchanges, bytes;

    Time busy(OpId op) const { return own[op] + exchanges[op]; }
  };
  struct Pass {
    OpId body = 0;
    int32_t stage = 0, chunk = 0, micro_batch = 0;
    OperationKind kind = OperationKind::forward;
    Time length;
    Time gathers;          ///< what it waits for bytes of data ranks
    double elsewhere = 1;  ///< see TracedOperation
  };

  /// No pass is in lockstep.
  Lockstep() = default;
  explicit Lockstep(const Evidence& evidence);

  bool has(OpId body) const { return body < group_of_.size() && group_of_[body] != none; }
  const Parts& measured() const { return measured_; }
  /// All passes that are in lockstep.
  const std::vector<Pass>& passes() const { return passes_; }

  /// Makes the passes that go with `changed` as short as `parts` lets them be. Of several that go
  /// together none gets longer.
  void settle(const Parts& parts, const std::vector<OpId>& changed,
              std::vector<Time>& lengths) const;

 private:
  using Members = std::vector<OpId>;
  struct Group {
    Members members;
    size_t slowest = 0;               ///< place among the members
    std::vector<PassWindow> windows;  ///< of the slowest; empty: they are not known
    std::vector<int32_t> places;      ///< by member, those of its windows
  };

  void add_pass(const Evidence& evidence, const TracedOperation& one, OpId body, size_t group);
  void find_bytes(Group& group);
  double bytes_left(const Group& group, const Parts& parts) const;
  Time settled(const Group& group, const Parts& parts) const;
  Time with_bytes(const Group& group, const Parts& parts) const;

  std::vector<Group> groups_;
  std::vector<uint32_t> group_of_;  ///< by op; `none` where it is in no lockstep
  Parts measured_;
  std::vector<Time> lengths_;  ///< by op, as measured
  std::vector<Pass> passes_;
};

}  // namespace pipewright::diagnose
