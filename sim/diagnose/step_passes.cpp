#include "diagnose/step_passes.hpp"

#include <algorithm>

namespace pipewright::diagnose {

void StepPasses::add(size_t rank, int32_t pipeline, int32_t step, const PassSpan& pass) {
  Ends& ends = of_rank_.try_emplace({rank, step}, pass.start, pass.end).first->second;
  ends.second = std::max(ends.second, pass.end);
  Time& last = last_[{pipeline, step}];
  last = std::max(last, pass.end);
}

const StepPasses::Ends* StepPasses::of(size_t rank, int32_t step) const {
  const auto found = of_rank_.find({rank, step});
  return found == of_rank_.end() ? nullptr : &found->second;
}

}  // namespace pipewright::diagnose
