#include "diagnose/device_program.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "diagnose/communicating_times.hpp"

namespace pipewright::diagnose {
namespace {

constexpr uint32_t compute_type = 0, communication_type = 1, device_gap_type = 2, launch_type = 3;

class DeviceAssembly {
 public:
  explicit DeviceAssembly(const DeviceWork& work) : work_(work) {
    builder_.program.types = {{.kind = OpKind::compute},
                              {.kind = OpKind::collective},
                              {.kind = OpKind::compute},
                              {.kind = OpKind::compute}};
    builder_.program.ranks.push_back({});
    builder_.program.groups.push_back({0});
    for (size_t step = 0; step < work.steps.size(); ++step) made_.trace.steps.push_back(step);
  }

  DeviceProgram run() {
    bodies_.assign(work_.ops.size(), none);
    std::vector<std::vector<size_t>> by_step(work_.steps.size());
    for (size_t i = 0; i < work_.ops.size(); ++i)
      by_step[static_cast<size_t>(work_.ops[i].step)].push_back(i);
    for (size_t step = 0; step < by_step.size(); ++step) {
      add_step(static_cast<int>(step), by_step[step]);
      if (step + 1 < by_step.size() && end_with(step, by_step[step + 1])) continue;
      if (work_.has_marks) end_later(step);
    }
    std::ranges::copy(end_gaps_, std::back_inserter(made_.trace.gap));
    made_.trace.program = std::move(builder_).finish();
    return std::move(made_);
  }

 private:
  OpId add_op(uint32_t type, int step, Time length) {
    Op op{.type = type};
    if (type == communication_type) op.peer = 0;
    made_.trace.lengths.push_back(length);
    made_.trace.step.push_back(static_cast<size_t>(step));
    return builder_.add(op);
  }

  void add_step(int step, const std::vector<size_t>& places) {
    launch_in_order(step, places);
    last_of_stream_.clear();
    ended_.clear();
    for (const size_t i : places) add(i);
  }

  /// The host's first launch begins the step: nobody knows what it did before.
  void launch_in_order(int step, std::vector<size_t> places) {
    std::ranges::stable_sort(places, {}, [&](size_t i) { return work_.ops[i].launched; });
    OpId before = none;
    Time last = work_.steps[static_cast<size_t>(step)].begin;
    begin_ = last;
    for (const size_t i : places) {
      const Time launched = std::max(work_.ops[i].launched, last);
      const OpId launch = add_op(launch_type, step, launched - last);
      if (before != none) builder_.depend(before, launch);
      launch_of_[i] = launch;
      (before == none ? made_.begins : made_.launches).push_back(launch);
      before = launch;
      last = launched;
    }
    last_launch_ = before;
    launched_ = last;
  }

  /// A step lasts until the first op of the next one begins, which its host has to ask for, too.
  bool end_with(size_t step, const std::vector<size_t>& next) {
    const Time end = work_.steps[step].end;
    const auto first = std::ranges::find(next, end, [&](size_t i) { return work_.ops[i].start; });
    if (first == next.end()) return false;
    const DeviceOp& op = work_.ops[*first];
    const Time launched = std::max(op.launched, launched_);
    const OpId launch = add_op(launch_type, static_cast<int>(step), launched - launched_);
    const OpId gap = add_op(device_gap_type, static_cast<int>(step), {});
    builder_.depend(last_launch_, launch);
    builder_.depend(launch, gap);
    Time ready = launched;
    if (const auto last = last_of_stream_.find(op.stream); last != last_of_stream_.end()) {
      ready = std::max(ready, work_.ops[last->second].end);
      builder_.depend(bodies_[last->second], gap);
    }
    made_.trace.lengths[gap] = std::max(end - ready, Time{});
    made_.between.push_back(launch);
    end_gaps_.push_back(gap);
    return true;
  }

  /// What the host does after all else of a marked step.
  void end_later(size_t step) {
    Time last = launched_;
    for (const auto& [stream, i] : last_of_stream_) last = std::max(last, work_.ops[i].end);
    const Time rest = std::max(work_.steps[step].end - last, Time{});
    const OpId end = add_op(launch_type, static_cast<int>(step), rest);
    builder_.depend(last_launch_, end);
    for (const auto& [stream, i] : last_of_stream_) builder_.depend(bodies_[i], end);
    made_.between.push_back(end);
  }

  void add(size_t i) {
    const DeviceOp& op = work_.ops[i];
    const OpId gap = add_op(device_gap_type, op.step, {});
    // What other streams did before the step began was beside the step before.
    const Time within = std::max(op.end - std::max(op.start, begin_), Time{});
    const OpId body = add_op(op.communicates ? communication_type : compute_type, op.step, within);
    builder_.depend(launch_of_[i], gap);
    builder_.depend(gap, body);
    Time ready = std::max(op.launched, begin_);
    if (const auto last = last_of_stream_.find(op.stream); last != last_of_stream_.end()) {
      ready = std::max(ready, work_.ops[last->second].end);
      builder_.depend(bodies_[last->second], gap);
    }
    const bool goes_on = op.computes() && (op.within_graph || goes_on_at_once(op, ready));
    if (op.start > ready + at_once) wait_for_other_stream(op, gap, ready);
    made_.trace.lengths[goes_on ? body : gap] += std::max(op.start - ready, Time{});
    bodies_[i] = body;
    last_of_stream_[op.stream] = i;
    ended_.emplace(op.end, i);
    made_.trace.gap.push_back(gap);
    made_.trace.body.push_back(body);
    made_.ops.push_back(i);
  }

  /// What a stream takes to go on to a kernel that its host has asked for before, as to the next of
  /// a graph, is a part of that kernel: no host and no other device can spare it.
  static bool goes_on_at_once(const DeviceOp& op, Time ready) {
    return ready > op.launched && op.start <= ready + at_once;
  }

  void wait_for_other_stream(const DeviceOp& op, OpId gap, Time& ready) {
    auto found = ended_.upper_bound(op.start);
    if (found == ended_.begin()) return;
    --found;
    if (found->first <= ready || op.start > found->first + after_event) return;
    builder_.depend(bodies_[found->second], gap);
    ready = found->first;
  }

  const DeviceWork& work_;
  Time begin_;
  OpId last_launch_ = none;  ///< of the step
  Time launched_;            ///< when that was
  std::vector<OpId> end_gaps_;
  std::map<size_t, OpId> launch_of_;
  std::map<int, size_t> last_of_stream_;
  std::multimap<Time, size_t> ended_;  ///< ops of the step by when they end
  std::vector<OpId> bodies_;
  ProgramBuilder builder_;
  DeviceProgram made_;
};

}  // namespace

DeviceProgram program_of(const DeviceWork& work) { return DeviceAssembly(work).run(); }

}  // namespace pipewright::diagnose
