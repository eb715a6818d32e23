// The communication of tensor, context and expert ranks within the passes of a trace of our own.
#pragma once

#include <vector>

#include "diagnose/run_passes.hpp"
#include "diagnose/time_ranges.hpp"
#include "interop/run_trace.hpp"
#include "result/accounts/breakdown.hpp"

namespace pipewright::diagnose {

inline bool is_within_passes(RunSliceKind kind) { return kind >= RunSliceKind::tensor_group; }

/// The compute that a pass counts for. `halved`: weight gradients stand apart.
ComputeKind compute_of(OperationKind kind, bool halved);

/// What such groups of one rank do, in order of their starts.
class GroupsOfRank {
 public:
  void add(const RunSlice& slice) { slices_.push_back(&slice); }
  /// Adds a piece of a pass: what goes beside it is hidden.
  void add_piece(const RunSlice& slice) { pieces_.add(slice.start, slice.end); }
  /// Ends the adding.
  void sort();
  /// The part of the pass in which its device computes nothing because of them: by what it is, and
  /// once more as the compute that the pass would count for. `halved`: weight gradients stand
  /// apart.
  Breakdown exposed_in(const PassSpan& pass, bool halved) const;

 private:
  std::vector<const RunSlice*> slices_;
  TimeRanges pieces_;
};

}  // namespace pipewright::diagnose
