// When the passes of the ranks of a trace of our own begin and end in each step.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "diagnose/run_passes.hpp"

namespace pipewright::diagnose {

class StepPasses {
 public:
  using Ends = std::pair<Time, Time>;  // when the first begins and the last ends

  /// Adds a pass of a rank in a step or an iteration; `pipeline`: where the rank stands in its
  /// pipeline. Passes of a rank come in order.
  void add(size_t rank, int32_t pipeline, int32_t step, const PassSpan& pass);

  /// Null: it has none.
  const Ends* of(size_t rank, int32_t step) const;
  /// When the last pass of any data rank ends at a place of the pipeline that has some.
  Time last_end(int32_t pipeline, int32_t step) const { return last_.at({pipeline, step}); }

 private:
  std::map<std::pair<size_t, int32_t>, Ends> of_rank_;
  std::map<std::pair<int32_t, int32_t>, Time> last_;  ///< by place in the pipeline
};

}  // namespace pipewright::diagnose
