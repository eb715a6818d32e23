#include "plan/slice_times.hpp"

#include <algorithm>

#include "plan/segments_time.hpp"

namespace pipewright {
namespace {

/// Returns the place of `one` among `all`, at whose end it is put where it is new.
template <class T>
uint32_t place_among(std::vector<T>& all, T one) {
  const auto found = std::find(all.begin(), all.end(), one);
  const auto place = static_cast<uint32_t>(found - all.begin());
  if (found == all.end()) all.push_back(std::move(one));
  return place;
}

}  // namespace

SliceTimes::SliceTimes(const StageWork& whole, const Prices& prices, const Mesh& mesh, int sequence)
    : prices_(prices),
      mesh_(mesh),
      sequence_(sequence),
      forward_(pass_of(whole.forward)),
      backward_(pass_of(whole.backward)) {}

SliceTimes::SegmentKind SliceTimes::kind_of(const Segment& segment) {
  SegmentKind kind;
  for (Work work : segment.kernels) {
    work.origin = {};
    ++kind[place_among(kernels_, work)];
  }
  return kind;
}

SliceTimes::Pass SliceTimes::pass_of(const Segments& segments) {
  Pass pass;
  for (const Segment& segment : segments) {
    Step step{.segment = {.part = segment.part, .chain = segment.chain, .joins = segment.joins},
              .kind = place_among(kinds_, kind_of(segment))};
    if (segment.collective) {
      step.collective = static_cast<uint32_t>(collectives_.size());
      collectives_.push_back(*segment.collective);
    }
    pass.push_back(std::move(step));
  }
  return pass;
}

Time SliceTimes::compute(const SegmentKind& kind, const SliceShare& share, bool see_context) const {
  Time time;
  for (const auto& [kernel, count] : kind) {
    const Work& work = kernels_[kernel];
    if (sees_context(work) == see_context)
      time += prices_.compute(sliced(work, share), mesh_.devices.front()) * count;
  }
  return time;
}

const SliceTimes::OfLength& SliceTimes::of_length(int length) {
  const auto [found, is_new] = lengths_.try_emplace(length);
  if (!is_new) return found->second;
  const SliceShare share = share_of_slice(0, length, sequence_);
  for (const SegmentKind& kind : kinds_)
    found->second.segments.push_back(compute(kind, share, false));
  for (const CollectiveWork& work : collectives_)
    found->second.collectives.push_back(collective_time(sliced(work, share), prices_, mesh_));
  return found->second;
}

Time SliceTimes::operator()(int length, int context) {
  const OfLength& fixed = of_length(length);
  const SliceShare share = share_of_slice(context, context + length, sequence_);
  std::vector<Time> busy = fixed.segments;
  for (size_t kind = 0; kind < kinds_.size(); ++kind)
    busy[kind] += compute(kinds_[kind], share, true);
  Time total;
  for (const Pass* steps : {&forward_, &backward_}) {
    PassTime pass;
    for (const Step& step : *steps)
      pass.add(step.segment, busy[step.kind],
               step.collective ? fixed.collectives[*step.collective] : std::nullopt);
    total += pass.total();
  }
  return total;
}

}  // namespace pipewright
