#include "diagnose/host_ranges.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace pipewright::diagnose {

HostRanges::HostRanges(const RankProfile& profile) {
  std::vector<const ProfiledEvent*> of_pipeline;
  for (const ProfiledEvent& event : profile.events) {
    index(event);
    if (event.category == EventCategory::pipeline_action) of_pipeline.push_back(&event);
  }
  for (auto* ranges : {&backward_, &hooks_, &optimizer_})
    for (auto& [thread, all] : *ranges) all.join();
  std::ranges::stable_sort(marks_, {}, &StepMark::begin);
  index_actions(std::move(of_pipeline), profile);
}

void HostRanges::index(const ProfiledEvent& event) {
  if (event.category == EventCategory::launch && event.correlation != 0)
    launches_[event.correlation].call = &event;
  if (event.category == EventCategory::backward_range)
    backward_[event.thread].add(event.start, event.end());
  if (event.category == EventCategory::backward_hook)
    hooks_[event.thread].add(event.start, event.end());
  if (event.category == EventCategory::optimizer_range)
    optimizer_[event.thread].add(event.start, event.end());
  if (event.category == EventCategory::step)
    marks_.push_back({event.start, event.end(), event.number});
}

size_t HostRanges::mark_at(Time at) const {
  const auto after = std::ranges::upper_bound(marks_, at, {}, &StepMark::begin);
  if (after == marks_.begin() || at >= std::prev(after)->end) return marks_.size();
  return static_cast<size_t>(after - marks_.begin()) - 1;
}

HostLaunch* HostRanges::launch_of(const ProfiledEvent& event) {
  const auto found = launches_.find(event.correlation);
  return found == launches_.end() ? nullptr : &found->second;
}

bool HostRanges::within(const std::map<int64_t, TimeRanges>& ranges, const ProfiledEvent& launch) {
  const auto found = ranges.find(launch.thread);
  return found != ranges.end() && found->second.hold(launch.start);
}

bool HostRanges::goes_back(Time at) const {
  return std::ranges::any_of(backward_, [at](const auto& one) { return one.second.hold(at); });
}

void HostRanges::index_actions(std::vector<const ProfiledEvent*> events,
                               const RankProfile& profile) {
  std::ranges::stable_sort(events, {}, [](const ProfiledEvent* event) { return event->start; });
  for (const ProfiledEvent* event : events) {
    const std::vector<interop::PipelineAction> own =
        interop::pipeline_actions(profile.name(*event));
    ranges_.push_back({event->start, event->end(), actions_.size(), own.size()});
    std::ranges::copy(own, std::back_inserter(actions_));
  }
  if (says_pass_twice()) actions_.clear(), ranges_.clear();
}

/// Ranges of a user may have such names, too, and another meaning.
bool HostRanges::says_pass_twice() const {
  using interop::PipelineActionKind;
  std::set<std::tuple<size_t, PipelineActionKind, int32_t, int32_t>> passed;
  for (const ActionRange& range : ranges_) {
    const size_t mark = mark_at(range.begin);
    if (!marks_.empty() && mark == marks_.size()) continue;
    for (size_t i = range.first; i < range.first + range.count; ++i) {
      const interop::PipelineAction& one = actions_[i];
      if (is_pass(one) && !passed.insert({mark, one.kind, one.stage, one.micro_batch}).second)
        return true;
    }
  }
  return false;
}

std::pair<size_t, size_t> HostRanges::actions_at(Time at) const {
  const auto after = std::ranges::upper_bound(ranges_, at, {}, &ActionRange::begin);
  if (after == ranges_.begin() || at >= std::prev(after)->end) return {0, 0};
  return {std::prev(after)->first, std::prev(after)->count};
}

}  // namespace pipewright::diagnose
