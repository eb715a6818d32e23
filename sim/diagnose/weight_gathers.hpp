// What data ranks do together within passes, in a trace of our own: they gather weights (ZeRO 3)
// and sum gradients (ZeRO 2 and 3).
//
// A pass whose layers are gathered or summed one by one ends on all data ranks at once: the fast
// ones wait for the one that is slow. What a rank computes itself is the rest of its pass.
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "diagnose/run_passes.hpp"
#include "interop/run_trace.hpp"

namespace pipewright::diagnose {

class WeightGathers {
 public:
  explicit WeightGathers(const RunTrace& trace);

  /// Returns when a pass of a rank begins with the collective that it waits for. `before`: the end
  /// of the pass before it.
  Time begin_of(size_t rank, const PassSpan& pass, Time before) const;

  /// Whether the rank gathers or sums anything while the pass runs, from `begin` on.
  bool meets_within(size_t rank, const PassSpan& pass, Time begin) const;

  /// For how long between `begin` and `end` the rank gathers or sums anything.
  Time beside(size_t rank, Time begin, Time end) const;

 private:
  /// Rank by number, stage of the model, micro-batch, slice, whether a backward pass takes it.
  using Fed = std::tuple<int32_t, int32_t, int32_t, int32_t, bool>;

  Time queued_from(size_t rank, const RunSlice& last) const;

  const RunTrace& trace_;
  std::vector<std::vector<const RunSlice*>> all_;  ///< by rank, in order of their ends
  std::map<Fed, Time> arrivals_;
};

}  // namespace pipewright::diagnose
