#include "diagnose/run_passes.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace pipewright::diagnose {
namespace {

using SliceKind = RunSliceKind;

/// What a forward and a backward take of a pair where none is seen alone.
constexpr double forward_part = 1, backward_part = 2;

OperationKind kind_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::backward:
    case SliceKind::input_gradient:
      return OperationKind::backward;
    case SliceKind::weight_gradient:
      return OperationKind::weight_gradient;
    default:
      return OperationKind::forward;
  }
}

/// Passes that overlap take the time until `end`, each as much of it as it computes. The last takes
/// all of it where none computes.
void share(std::span<PassSpan> passes, Time end) {
  double all = 0, before = 0;
  for (const PassSpan& one : passes) all += in_seconds(one.computing);
  if (all == 0) all = in_seconds(passes.back().computing = seconds(1));
  const Time begin = passes.front().start;
  Time from = begin;
  for (PassSpan& one : passes) {
    before += in_seconds(one.computing);
    one.start = from;
    one.end = from = begin + seconds(in_seconds(end - begin) * before / all);
    one.overlaps_next = &one != &passes.back();
  }
}

}  // namespace

void RunPasses::add(const RunSlice& slice, Time beside) {
  const RunPass first{kind_of(slice.kind), slice.stage, slice.micro_batch, slice.slice,
                      slice.track};
  if (slice.kind == SliceKind::pair) return add_pair(slice, first);
  const Time length = slice.end - slice.start;
  add(first, slice.start, slice.end, length).beside += beside;
  auto& [sum, count] = alone_[slice.kind];
  sum += length;
  ++count;
}

void RunPasses::add_pair(const RunSlice& slice, RunPass first) {
  RunPass second{OperationKind::backward, slice.second_stage, slice.second_micro_batch,
                 slice.second_slice, slice.track};
  if (slice.first_goes_back) std::swap(first.kind, second.kind);
  for (const RunPass& one : {first, second}) {
    add(one, slice.start, slice.end, {});
    paired_.push_back(one);
  }
}

double RunPasses::usual_length(RunSliceKind kind) const {
  const auto found = alone_.find(kind);
  return found == alone_.end()
             ? 0
             : in_seconds(found->second.first) / static_cast<double>(found->second.second);
}

PassSpan& RunPasses::add(const RunPass& pass, Time start, Time end, Time computing) {
  PassSpan& span =
      spans_.try_emplace(pass, PassSpan{.pass = pass, .start = start, .end = end}).first->second;
  span.start = std::min(span.start, start);
  span.end = std::max(span.end, end);
  span.computing += computing;
  return span;
}

/// What passes of pairs take is told by those that run alone.
void RunPasses::divide_pairs() {
  const double forward = usual_length(SliceKind::forward);
  double backward = usual_length(SliceKind::backward);
  if (backward == 0)
    backward = usual_length(SliceKind::input_gradient) + usual_length(SliceKind::weight_gradient);
  const bool known = forward > 0 && backward > 0;
  for (const RunPass& one : paired_) {
    const bool back = one.kind == OperationKind::backward;
    spans_.at(one).computing =
        seconds(known ? (back ? backward : forward) : (back ? backward_part : forward_part));
  }
}

std::vector<PassSpan> RunPasses::in_order() {
  divide_pairs();
  std::vector<PassSpan> all;
  for (const auto& [pass, span] : spans_) all.push_back(span);
  std::ranges::sort(
      all, {}, [](const PassSpan& one) { return std::tuple(one.pass.track, one.start, one.end); });
  for (size_t first = 0; first < all.size();) {
    size_t next = first + 1;
    Time end = all[first].end;
    for (; next < all.size() && all[next].pass.track == all[first].pass.track &&
           all[next].start < end;
         ++next)
      end = std::max(end, all[next].end);
    if (next - first > 1) share({all.data() + first, next - first}, end);
    first = next;
  }
  std::ranges::stable_sort(all, {}, &PassSpan::start);
  return all;
}

}  // namespace pipewright::diagnose
