#include "diagnose/device_work.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "base/error.hpp"
#include "diagnose/tensor_groups.hpp"
#include "interop/words.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double whole_step = 0.9;      // of the kernels of the median step
constexpr size_t telling_kernels = 10;  // one of fewer is more than a tenth
/// Clocks of hosts and devices are held together within some microseconds.
constexpr Time early_start = microseconds(100);
/// A kernel may begin while the one before it drains (programmatic launches).
constexpr Time most_overlap = microseconds(20);

/// Ranges of a thread, joined where they touch.
class Ranges {
 public:
  void add(Time begin, Time end) { all_.emplace_back(begin, end); }
  void join() {
    std::ranges::sort(all_);
    std::vector<std::pair<Time, Time>> joined;
    for (const auto& [begin, end] : all_) {
      if (!joined.empty() && begin <= joined.back().second)
        joined.back().second = std::max(joined.back().second, end);
      else
        joined.emplace_back(begin, end);
    }
    all_ = std::move(joined);
  }
  bool hold(Time at) const {
    const auto after = std::ranges::upper_bound(all_, at, {}, &std::pair<Time, Time>::first);
    return after != all_.begin() && at <= std::prev(after)->second;
  }

 private:
  std::vector<std::pair<Time, Time>> all_;
};

class Reading {
 public:
  explicit Reading(const RankProfile& profile) : profile_(profile) {}

  DeviceWork run() {
    index_host();
    find_first_launched();
    for (const ProfiledEvent& event : profile_.events)
      if (runs_on_device(event)) add(event);
    if (work_.ops.empty())
      throw InputError({profile_.file, 0, 0}, "nothing in this trace ran on a device");
    std::ranges::stable_sort(work_.ops, {}, &DeviceOp::start);
    find_clipping();
    tell_tensors_from_data(profile_, work_.ops);
    leave_out_cut_steps();
    number_steps();
    find_overlapping();
    find_moving();
    return std::move(work_);
  }

 private:
  struct Mark {
    Time begin, end;
    int number = 0;
  };
  struct Launch {
    const ProfiledEvent* call = nullptr;
    Time first = longest_time;  ///< when the first op starts that it launched
  };

  void index_host() {
    for (const ProfiledEvent& event : profile_.events) {
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
    for (auto* ranges : {&backward_, &hooks_, &optimizer_})
      for (auto& [thread, all] : *ranges) all.join();
    std::ranges::stable_sort(marks_, {}, &Mark::begin);
  }

  /// The mark in which the host stood; the number of marks: in none.
  size_t mark_at(Time at) const {
    const auto after = std::ranges::upper_bound(marks_, at, {}, &Mark::begin);
    if (after == marks_.begin() || at > std::prev(after)->end) return marks_.size();
    return static_cast<size_t>(after - marks_.begin()) - 1;
  }

  bool within(const std::map<int64_t, Ranges>& ranges, const ProfiledEvent& launch) const {
    const auto found = ranges.find(launch.thread);
    return found != ranges.end() && found->second.hold(launch.start);
  }

  static bool runs_on_device(const ProfiledEvent& event) {
    return event.category == EventCategory::kernel || event.category == EventCategory::copy;
  }

  /// Null where it is not in the trace.
  Launch* launch_of(const ProfiledEvent& event) {
    const auto found = launches_.find(event.correlation);
    return found == launches_.end() ? nullptr : &found->second;
  }

  /// By stream, when the first op starts whose launch is in the trace. By launch, when its first op
  /// starts.
  void find_first_launched() {
    for (const ProfiledEvent& event : profile_.events) {
      if (!runs_on_device(event)) continue;
      Launch* launch = launch_of(event);
      if (launch == nullptr) continue;
      launch->first = std::min(launch->first, event.start);
      const auto [first, fresh] = first_launched_.emplace(event.stream, event.start);
      if (!fresh) first->second = std::min(first->second, event.start);
    }
  }

  /// A host that is far ahead has launched some ops before its profiler looked at it.
  bool was_launched_before(const ProfiledEvent& event) const {
    const auto first = first_launched_.find(event.stream);
    return first != first_launched_.end() && event.start < first->second;
  }

  void add(const ProfiledEvent& event) {
    const Launch* launched = launch_of(event);
    if (launched == nullptr && was_launched_before(event)) return;
    const ProfiledEvent* launch = launched ? launched->call : nullptr;
    const std::string& name = profile_.name(event);
    DeviceOp op{.stream = event.stream, .start = event.start, .end = event.end()};
    op.within_graph = launched && event.start > launched->first;
    op.launched = launch ? std::min(launch->start, event.start) : event.start;
    op.asked = launch ? std::min(launch->end(), event.start) : event.start;
    if (launch && launch->start > event.start + early_start) ++work_.early;
    op.name = event.name;
    op.collective = event.collective;
    op.copies = event.category == EventCategory::copy;
    op.communicates = !op.copies && (event.collective >= 0 || communicates(name));
    if (op.communicates)
      op.traffic = traffic_of(op.collective < 0 ? nullptr : &collective(op), name, profile_.world);
    if (launch) take_part_of(*launch, op);
    if (op.computes() && op.compute == ComputeKind::forward && optimizer_.empty() && updates(op))
      op.compute = ComputeKind::optimizer;
    const size_t mark = mark_at(op.launched);
    op.step = static_cast<int>(mark);
    if (marks_.empty() || mark < marks_.size()) work_.ops.push_back(op);
  }

  /// The host says what it launches an op for.
  void take_part_of(const ProfiledEvent& launch, DeviceOp& op) {
    work_.has_launches = true;
    if (within(backward_, launch)) op.compute = ComputeKind::backward;
    if (op.compute == ComputeKind::forward && within(hooks_, launch)) {
      op.compute = ComputeKind::backward;
      op.after_autograd = true;
    }
    if (within(optimizer_, launch)) op.compute = ComputeKind::optimizer;
  }

  /// Whether any thread is in a backward pass.
  bool goes_back(Time at) const {
    return std::ranges::any_of(backward_, [at](const auto& one) { return one.second.hold(at); });
  }

  /// What is computed between the last backward pass and an update is no pass: gradients are
  /// measured, clipped and unscaled. Nor is what FSDP does behind the last message of a pipeline.
  void find_clipping() {
    std::vector<DeviceOp*> by_launch;
    for (DeviceOp& op : work_.ops) by_launch.push_back(&op);
    std::ranges::stable_sort(by_launch, {}, &DeviceOp::launched);
    BehindBackward behind;
    for (DeviceOp* op : by_launch) {
      if (op->communicates && op->traffic == Traffic::pipeline) behind = {};
      if (op->computes()) follow(*op, behind);
    }
  }

  /// In the order of launches: whether the last pass was a backward one, and what came behind it.
  struct BehindBackward {
    bool in_backward = false;
    std::vector<DeviceOp*> ops;
  };

  /// Takes the next kernel. An update makes what came before it its own.
  void follow(DeviceOp& op, BehindBackward& behind) {
    if (op.after_autograd) {
      if (!behind.in_backward) behind.ops.push_back(&op);
      return;
    }
    if (op.compute == ComputeKind::forward) {
      const bool ended = behind.in_backward && !goes_back(op.launched);
      if (!behind.ops.empty() || ended) behind.ops.push_back(&op);
      return;
    }
    behind.in_backward = op.compute == ComputeKind::backward;
    if (op.compute == ComputeKind::optimizer)
      for (DeviceOp* one : behind.ops) one->compute = ComputeKind::optimizer;
    behind.ops.clear();
  }

  /// Whether the kernel is of an optimizer by its name.
  bool updates(const DeviceOp& op) {
    const auto [found, fresh] = updates_.emplace(op.name, false);
    if (fresh) found->second = kernel_kind(profile_.names[op.name]) == "optimizer";
    return found->second;
  }

  const ProfiledCollective& collective(const DeviceOp& op) const {
    return profile_.collectives[static_cast<size_t>(op.collective)];
  }

  /// The stream on which most is computed; -1 where nothing is.
  int main_stream() const {
    std::map<int, Time> computing;
    for (const DeviceOp& op : work_.ops)
      if (op.computes()) computing[op.stream] += op.end - op.start;
    const auto most =
        std::ranges::max_element(computing, {}, [](const auto& one) { return one.second; });
    return most == computing.end() ? -1 : most->first;
  }

  /// A step begins on the main stream: what other streams fetch for it beforehand is beside the
  /// step before.
  void find_begins() {
    const int stream = main_stream();
    std::vector<Time> begins(work_.steps.size(), longest_time);
    for (const DeviceOp& op : work_.ops) {
      Time& begin = begins[static_cast<size_t>(op.step)];
      if (op.stream == stream) begin = std::min(begin, op.start);
    }
    for (size_t step = 0; step < begins.size(); ++step)
      if (begins[step] < longest_time) work_.steps[step].begin = begins[step];
  }

  /// The median of the steps between the first and the last, else the more of two.
  static size_t kernels_of_whole(const std::map<int, size_t>& kernels) {
    std::vector<size_t> counts;
    for (const auto& [mark, count] : kernels) counts.push_back(count);
    if (counts.size() == 2) return std::max(counts[0], counts[1]);
    const std::span inner(counts.data() + 1, counts.size() - 2);
    std::ranges::nth_element(inner, inner.begin() + static_cast<ptrdiff_t>(inner.size() / 2));
    return inner[inner.size() / 2];
  }

  /// What a profiler did not see whole says nothing of a step.
  void leave_out_cut_steps() {
    std::map<int, size_t> kernels;  // by mark
    for (const DeviceOp& op : work_.ops) kernels[op.step] += op.computes();
    if (kernels.size() < 2) return;
    const size_t whole = kernels_of_whole(kernels);
    if (whole < telling_kernels) return;
    for (const int mark : {kernels.begin()->first, kernels.rbegin()->first}) {
      if (static_cast<double>(kernels[mark]) >= whole_step * static_cast<double>(whole)) continue;
      std::erase_if(work_.ops, [mark](const DeviceOp& op) { return op.step == mark; });
      ++work_.cut_off;
    }
  }

  void find_overlapping() {
    const int stream = main_stream();
    Time last = work_.ops.front().start;
    for (const DeviceOp& op : work_.ops) {
      if (op.stream != stream || !op.computes()) continue;
      if (const Time both = std::min(last, op.end) - op.start; both > most_overlap)
        work_.overlapping += both;
      last = std::max(last, op.end);
    }
  }

  /// Marks in which nothing ran are no steps.
  void number_steps() {
    std::map<int, int> place;
    for (const DeviceOp& op : work_.ops) place.emplace(op.step, 0);
    for (auto& [mark, step] : place) {
      step = static_cast<int>(work_.steps.size());
      const bool marked = mark < static_cast<int>(marks_.size());
      work_.steps.push_back(
          {marked ? marks_[static_cast<size_t>(mark)].number : 0, longest_time, {}});
    }
    for (DeviceOp& op : work_.ops) {
      op.step = place[op.step];
      DeviceStep& step = work_.steps[static_cast<size_t>(op.step)];
      step.begin = std::min(step.begin, op.start);
      step.end = std::max(step.end, op.end);
    }
    std::vector<const Mark*> marked;
    for (const auto& [mark, step] : place)
      marked.push_back(mark < static_cast<int>(marks_.size()) ? &marks_[static_cast<size_t>(mark)]
                                                              : nullptr);
    work_.has_marks = work_.has_launches && std::ranges::find(marked, nullptr) == marked.end();
    bound_steps(marked);
  }

  void bound_steps(const std::vector<const Mark*>& marks) {
    std::vector<Time> ends;  // of the last op
    for (const DeviceStep& step : work_.steps) ends.push_back(step.end);
    const bool at_once = starts_at_once();
    find_begins();
    for (size_t i = 0; i < marks.size() && work_.has_marks; ++i) {
      if (i == 0 && !at_once) continue;
      const Time idle = i == 0 ? marks[i]->begin : std::max(marks[i]->begin, ends[i - 1]);
      work_.steps[i].begin = std::min(work_.steps[i].begin, idle);
    }
    for (size_t i = 0; i < work_.steps.size(); ++i) {
      DeviceStep& step = work_.steps[i];
      if (work_.has_marks) step.end = std::max(step.end, marks[i]->end);
      if (i + 1 < work_.steps.size() && (!work_.has_marks || follows(i)))
        step.end = std::max(work_.steps[i + 1].begin, step.begin);
    }
  }

  bool follows(size_t step) const {
    return work_.steps[step + 1].number == work_.steps[step].number + 1;
  }

  /// Whether the device stood still when the host asked for the first op of the first step. Else it
  /// was busy with what the trace does not show.
  bool starts_at_once() const {
    for (const DeviceOp& op : work_.ops)
      if (op.step == 0) return op.start <= op.launched + most_overlap;
    return false;
  }

  /// A receive begins to wait long before its message comes: of messages of one size the fastest
  /// shows how long the bytes take.
  void find_moving() {
    std::map<int32_t, Time> fastest;
    for (DeviceOp& op : work_.ops) {
      op.moving = op.end - op.start;
      if (!op.communicates || op.traffic != Traffic::pipeline) continue;
      if (!profile_.names_group(op.collective)) continue;
      const auto [found, fresh] = fastest.emplace(op.collective, op.moving);
      found->second = std::min(found->second, op.moving);
    }
    for (DeviceOp& op : work_.ops)
      if (const auto found = fastest.find(op.collective);
          found != fastest.end() && op.collective >= 0)
        op.moving = found->second;
  }

  const RankProfile& profile_;
  std::unordered_map<int64_t, Launch> launches_;
  std::map<int32_t, Time> first_launched_;  ///< by stream
  std::map<int64_t, Ranges> backward_, hooks_, optimizer_;
  std::map<uint32_t, bool> updates_;  ///< by name: names are few
  std::vector<Mark> marks_;
  DeviceWork work_;
};

}  // namespace

DeviceWork device_work(const RankProfile& profile) { return Reading(profile).run(); }

}  // namespace pipewright::diagnose
