#include "diagnose/within_passes.hpp"

#include <algorithm>

namespace pipewright::diagnose {
namespace {

Traffic traffic_of_slice(RunSliceKind kind) {
  if (kind == RunSliceKind::context_group) return Traffic::context;
  return kind == RunSliceKind::expert_group ? Traffic::expert : Traffic::tensor;
}

}  // namespace

ComputeKind compute_of(OperationKind kind, bool halved) {
  if (kind == OperationKind::forward) return ComputeKind::forward;
  if (kind == OperationKind::weight_gradient) return ComputeKind::weight_gradient;
  return halved ? ComputeKind::input_gradient : ComputeKind::backward;
}

void GroupsOfRank::sort() {
  std::ranges::stable_sort(slices_, {}, &RunSlice::start);
  pieces_.join();
}

Breakdown GroupsOfRank::exposed_in(const PassSpan& pass, bool halved) const {
  Breakdown exposed;
  Time left = pass.end - pass.start - pass.computing;
  // Slices of one rank and kind follow one another: those that end within begin after the last
  // that began before.
  auto next = std::ranges::lower_bound(slices_, pass.start, {}, &RunSlice::start);
  for (; next != slices_.end() && (*next)->start < pass.end && left > Time{}; ++next) {
    const Time begin = (*next)->start, end = std::min((*next)->end, pass.end);
    const Time part = std::min(left, end - begin - pieces_.within(begin, end));
    exposed[traffic_of_slice((*next)->kind)] += part;
    exposed[compute_of(pass.pass.kind, halved)] += part;
    left -= part;
  }
  return exposed;
}

}  // namespace pipewright::diagnose
