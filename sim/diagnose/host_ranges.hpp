// What the host of a rank was doing when it launched something: which call launched it, in which
// step, for which pass.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "diagnose/time_ranges.hpp"
#include "interop/pipeline_actions.hpp"
#include "interop/rank_profile.hpp"

namespace pipewright::diagnose {

/// A step that the host marks.
struct StepMark {
  Time begin, end;
  int number = 0;
};

/// A call that launched ops.
struct HostLaunch {
  const ProfiledEvent* call = nullptr;
  Time first = longest_time;  ///< when the first op starts that it launched
};

class HostRanges {
 public:
  /// `profile` must outlive it.
  explicit HostRanges(const RankProfile& profile);

  const std::vector<StepMark>& marks() const { return marks_; }
  /// The mark in which the host stood; the number of marks: in none.
  size_t mark_at(Time at) const;

  /// What launched an op of the device; null where it is not in the trace.
  HostLaunch* launch_of(const ProfiledEvent& event);

  bool in_backward(const ProfiledEvent& launch) const { return within(backward_, launch); }
  bool in_hook(const ProfiledEvent& launch) const { return within(hooks_, launch); }
  bool in_optimizer(const ProfiledEvent& launch) const { return within(optimizer_, launch); }
  bool has_optimizer() const { return !optimizer_.empty(); }
  /// Whether any thread is in a backward pass.
  bool goes_back(Time at) const;

  /// What the host runs of a pipeline. Empty where it does not say, or says a pass twice in a step.
  const std::vector<interop::PipelineAction>& actions() const { return actions_; }
  /// The places of the actions in whose range the host stood: from the first on, and how many.
  std::pair<size_t, size_t> actions_at(Time at) const;

 private:
  struct ActionRange {
    Time begin, end;
    size_t first = 0, count = 0;  ///< places in the actions
  };

  static bool within(const std::map<int64_t, TimeRanges>& ranges, const ProfiledEvent& launch);
  void index(const ProfiledEvent& event);
  void index_actions(std::vector<const ProfiledEvent*> events, const RankProfile& profile);
  bool says_pass_twice() const;

  std::unordered_map<int64_t, HostLaunch> launches_;
  std::map<int64_t, TimeRanges> backward_, hooks_, optimizer_;  ///< by thread
  std::vector<StepMark> marks_;
  std::vector<interop::PipelineAction> actions_;
  std::vector<ActionRange> ranges_;  ///< by begin
};

}  // namespace pipewright::diagnose
