// Passes that end on several data ranks at once, for they gather the weights of each layer
// together, sum its gradients or exchange tokens with its experts.
//
// Such a pass takes what its slowest rank computes, and what bytes take: the wait of that rank.
// Once its slowest rank is faster, all of them are.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// Passes that no data rank waits in are of no lockstep, whatever is hidden behind them. The
/// operations are of all ranks of a job.
void leave_lockstep(std::vector<TracedOperation>& operations);

class Lockstep {
 public:
  explicit Lockstep(const Evidence& evidence);

  bool empty() const { return groups_.empty(); }

  /// Adds to a cure of passes of some ranks what it spares the others of their groups, and takes
  /// out what the next slowest of them does not let them have.
  void shorten(Lengths& cure) const;

  /// The passes without what their bytes take.
  Lengths without_bytes() const;

 private:
  /// Step, group of data ranks, stage, direction, chunk, micro-batch.
  using Name = std::tuple<int32_t, int32_t, int32_t, OperationKind, int32_t, int32_t>;
  struct Member {
    OpId body = 0;
    Time length, waits;
  };

  using Members = std::vector<Member>;
  static Time bytes_of(const Members& group);

  std::vector<Members> groups_;
  std::map<OpId, size_t> group_of_;
};

}  // namespace pipewright::diagnose
