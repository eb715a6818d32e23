// The passes of one rank of a trace of our own, put together from their pieces.
#pragma once

#include <map>
#include <vector>

#include "interop/operation_table.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

/// Times of a trace are rounded.
constexpr Time rounding{1000};

inline bool is_pass(RunSliceKind kind) { return kind <= RunSliceKind::pair; }

/// A pass of a rank, wherever its pieces stand.
struct RunPass {
  OperationKind kind = OperationKind::forward;
  int32_t stage = 0, micro_batch = 0, slice = 0;
  int64_t track = 0;
  auto operator<=>(const RunPass&) const = default;
};

struct PassSpan {
  RunPass pass;
  Time start, end, computing;
  Time beside;                 ///< for how long data ranks communicate while it computes
  bool overlaps_next = false;  ///< with the next of its track
};

class RunPasses {
 public:
  /// Adds a piece: a slice of any kind of pass. `beside`: for how long data ranks communicate
  /// meanwhile.
  void add(const RunSlice& slice, Time beside = {});
  /// The passes in order of their starts. Those that overlap on one track come one after the other.
  std::vector<PassSpan> in_order();

 private:
  void add_pair(const RunSlice& slice, RunPass first);
  void divide_pairs();
  double usual_length(RunSliceKind kind) const;
  PassSpan& add(const RunPass& pass, Time start, Time end, Time computing);

  std::map<RunPass, PassSpan> spans_;
  std::map<RunSliceKind, std::pair<Time, int64_t>> alone_;  ///< by kind, how long and how many
  std::vector<RunPass> paired_;
};

}  // namespace pipewright::diagnose
