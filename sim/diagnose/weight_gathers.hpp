// Weights that data ranks gather within passes (ZeRO 3), in a trace of our own.
//
// A pass whose layers are gathered one by one ends on all data ranks at once: the fast ones wait in
// their gathers for the one that is slow. What a rank computes itself is the rest of its pass.
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

  /// Returns when a pass of a rank begins with the gather that it waits for. `before`: the end of
  /// the pass before it.
  Time begin_of(size_t rank, const PassSpan& pass, Time before) const;

  /// Whether the rank gathers anything while the pass runs, from `begin` on.
  bool gathers_within(size_t rank, const PassSpan& pass, Time begin) const;

 private:
  /// Rank by number, stage of the model, micro-batch, slice, whether a backward pass takes it.
  using Fed = std::tuple<int32_t, int32_t, int32_t, int32_t, bool>;

  const RunTrace& trace_;
  std::vector<std::vector<const RunSlice*>> by_rank_;  ///< in order of their ends
  std::map<Fed, Time> arrivals_;
};

}  // namespace pipewright::diagnose
