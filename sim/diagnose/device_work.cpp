#include "diagnose/device_work.hpp"

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "diagnose/device_steps.hpp"
#include "diagnose/host_ranges.hpp"
#include "diagnose/tensor_groups.hpp"

namespace pipewright::diagnose {
namespace {

/// Clocks of hosts and devices are held together within some microseconds.
constexpr Time early_start = microseconds(100);

/// Whether a copy or a filling of this name stays within the memory of its device: "Memset
/// (Device)", "Memcpy DtoD (Device -> Device)".
bool stays_on_device(const std::string& name) {
  return name.starts_with("Memset") || name.find("DtoD") != std::string::npos;
}

class Reading {
 public:
  explicit Reading(const RankProfile& profile) : profile_(profile), host_(profile) {}

  DeviceWork run() {
    find_first_launched();
    for (const ProfiledEvent& event : profile_.events)
      if (runs_on_device(event)) add(event);
    if (work_.ops.empty())
      throw InputError({profile_.file, 0, 0}, "nothing in this trace ran on a device");
    std::ranges::stable_sort(work_.ops, {}, &DeviceOp::start);
    keep_actions();
    find_clipping();
    tell_tensors_from_data(profile_, work_.ops);
    find_steps(host_.marks(), work_);
    find_moving();
    return std::move(work_);
  }

 private:
  static bool runs_on_device(const ProfiledEvent& event) {
    return event.category == EventCategory::kernel || event.category == EventCategory::copy;
  }

  /// By stream, when the first op starts whose launch is in the trace. By launch, when its first op
  /// starts.
  void find_first_launched() {
    for (const ProfiledEvent& event : profile_.events) {
      if (!runs_on_device(event)) continue;
      HostLaunch* launch = host_.launch_of(event);
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
    const HostLaunch* launched = host_.launch_of(event);
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
    op.own_memory = op.copies && stays_on_device(name);
    op.communicates = !op.copies && (event.collective >= 0 || communicates(name));
    if (op.communicates)
      op.traffic = traffic_of(op.collective < 0 ? nullptr : &collective(op), name, profile_.world);
    if (launch) take_part_of(*launch, op);
    if (op.computes() && op.compute == ComputeKind::forward && op.action < 0 && updates(op))
      op.compute = ComputeKind::optimizer;
    const size_t mark = host_.mark_at(op.launched), marks = host_.marks().size();
    op.step = static_cast<int>(mark);
    if (marks == 0 || mark < marks) work_.ops.push_back(op);
  }

  /// The host says what it launches an op for.
  void take_part_of(const ProfiledEvent& launch, DeviceOp& op) {
    work_.has_launches = true;
    if (host_.in_backward(launch)) op.compute = ComputeKind::backward;
    if (op.compute == ComputeKind::forward && host_.in_hook(launch)) {
      op.compute = ComputeKind::backward;
      op.after_autograd = true;
    }
    if (host_.in_optimizer(launch)) op.compute = ComputeKind::optimizer;
    take_action(launch, op);
  }

  static ComputeKind kind_of(interop::PipelineActionKind pass) {
    using enum interop::PipelineActionKind;
    if (pass == forward) return ComputeKind::forward;
    if (pass == input_gradient) return ComputeKind::input_gradient;
    return pass == weight_gradient ? ComputeKind::weight_gradient : ComputeKind::backward;
  }

  /// A range of a pipeline says of which pass or message an op is. Of passes that overlap it is the
  /// one of its direction.
  void take_action(const ProfiledEvent& launch, DeviceOp& op) {
    const auto [first, count] = host_.actions_at(launch.start);
    for (size_t i = first; i < first + count; ++i) {
      const interop::PipelineAction& one = host_.actions()[i];
      if (one.kind == interop::PipelineActionKind::weights) continue;
      const bool back = one.kind != interop::PipelineActionKind::forward;
      if (count > 1 && back != op.goes_back()) continue;
      op.action = static_cast<int32_t>(i);
      if (!is_pass(one)) return;
      op.compute = kind_of(one.kind);
      op.after_autograd = false;
      return;
    }
  }

  /// Where no messages of a pipeline are, ranges that name no stage are of a user and of something
  /// else.
  void keep_actions() {
    const auto is_message = [](const DeviceOp& op) {
      return op.communicates && op.traffic == Traffic::pipeline;
    };
    work_.actions = host_.actions();
    const bool named =
        std::ranges::any_of(work_.actions, [](const auto& one) { return one.stage >= 0; });
    if (work_.actions.empty() || named || std::ranges::any_of(work_.ops, is_message)) return;
    work_.actions.clear();
    for (DeviceOp& op : work_.ops) op.action = -1;
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
    if (op.compute == ComputeKind::forward && op.action < 0) {
      const bool ended = behind.in_backward && !host_.goes_back(op.launched);
      if (!behind.ops.empty() || ended) behind.ops.push_back(&op);
      return;
    }
    behind.in_backward = op.goes_back();
    if (op.compute == ComputeKind::optimizer)
      for (DeviceOp* one : behind.ops) one->compute = ComputeKind::optimizer;
    behind.ops.clear();
  }

  /// Whether the kernel is of an optimizer by its name, where no ranges tell.
  bool updates(const DeviceOp& op) {
    if (host_.has_optimizer()) return false;
    const auto [found, fresh] = updates_.emplace(op.name, false);
    if (fresh) found->second = kernel_kind(profile_.names[op.name]) == "optimizer";
    return found->second;
  }

  const ProfiledCollective& collective(const DeviceOp& op) const {
    return profile_.collectives[static_cast<size_t>(op.collective)];
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
  HostRanges host_;
  std::map<int32_t, Time> first_launched_;  ///< by stream
  std::map<uint32_t, bool> updates_;        ///< by name: names are few
  DeviceWork work_;
};

}  // namespace

DeviceWork device_work(const RankProfile& profile) { return Reading(profile).run(); }

}  // namespace pipewright::diagnose
