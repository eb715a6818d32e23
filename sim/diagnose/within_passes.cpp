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
  std::ranges::sort(pieces_);
  std::vector<std::pair<Time, Time>> joined;
  for (const auto& [start, end] : pieces_) {
    if (!joined.empty() && start <= joined.back().second)
      joined.back().second = std::max(joined.back().second, end);
    else
      joined.emplace_back(start, end);
  }
  pieces_ = std::move(joined);
}

/// How much of the time between has no piece of a pass.
Time GroupsOfRank::seen_between(Time begin, Time end) const {
  Time seen = end - begin;
  auto piece = std::ranges::upper_bound(pieces_, begin, {}, &std::pair<Time, Time>::second);
  for (; piece != pieces_.end() && piece->first < end; ++piece)
    seen -= std::min(piece->second, end) - std::max(piece->first, begin);
  return seen;
}

Breakdown GroupsOfRank::exposed_in(const PassSpan& pass, bool halved) const {
  Breakdown exposed;
  Time left = pass.end - pass.start - pass.computing;
  // Slices of one rank and kind follow one another: those that end within begin after the last
  // that began before.
  auto next = std::ranges::lower_bound(slices_, pass.start, {}, &RunSlice::start);
  for (; next != slices_.end() && (*next)->start < pass.end && left > Time{}; ++next) {
    const Time part =
        std::min(left, seen_between((*next)->start, std::min((*next)->end, pass.end)));
    exposed[traffic_of_slice((*next)->kind)] += part;
    exposed[compute_of(pass.pass.kind, halved)] += part;
    left -= part;
  }
  return exposed;
}

}  // namespace pipewright::diagnose
