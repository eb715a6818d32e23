#include "interop/torch_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "interop/json_events.hpp"
#include "interop/nccl_kind.hpp"
#include "interop/nvtx_ranges.hpp"
#include "interop/pipeline_actions.hpp"
#include "interop/torch_collectives.hpp"
#include "interop/torch_event.hpp"
#include "interop/words.hpp"

namespace pipewright {
namespace {

using Json = nlohmann::json;

const Time longest_step = seconds(longest_us * 1e-6);

constexpr std::string_view step_name = "ProfilerStep#", optimizer_name = "Optimizer.step",
                           backward_name = "autograd::engine::evaluate_function",
                           call_name = "record_param_comms", nccl_name = "nccl:";

/// What FSDP does of a backward pass when autograd's functions have run: it adds up and reduces the
/// gradients of its modules (torch/distributed/fsdp of PyTorch, FSDP2 and FSDP1).
constexpr std::array<std::string_view, 3> backward_hooks = {
    "FSDP::root_post_backward", "FSDP::post_backward", "FullyShardedDataParallel._post_backward"};

bool is_backward_hook(std::string_view name) {
  return std::ranges::any_of(backward_hooks,
                             [&](std::string_view hook) { return name.starts_with(hook); });
}

/// What a range on the host may be by its name.
std::optional<EventCategory> range_of(std::string_view name, bool of_user) {
  if (name.starts_with(step_name)) return EventCategory::step;
  if (of_user && name.starts_with(optimizer_name)) return EventCategory::optimizer_range;
  if (of_user && is_backward_hook(name)) return EventCategory::backward_hook;
  if (of_user && interop::is_pipeline_action(name)) return EventCategory::pipeline_action;
  if (!of_user && name.starts_with(backward_name)) return EventCategory::backward_range;
  if (name == call_name || name.starts_with(nccl_name)) return EventCategory::collective_range;
  return {};
}

/// What is wanted of an event, if anything is. No more of it is read than what tells that.
std::optional<EventCategory> wanted(interop::TorchEvent& event) {
  const std::string_view category = event.read_category();
  if (category == "kernel" || category == "Kernel") return EventCategory::kernel;
  if (category == "gpu_memcpy" || category == "gpu_memset" || category == "Memcpy" ||
      category == "Memset")
    return EventCategory::copy;
  // Of CUDA, HIP, SYCL and others.
  if (category.ends_with("_runtime") || category.ends_with("_driver") || category == "Runtime")
    return EventCategory::launch;
  if (category == "user_annotation") return range_of(event.read_name(), true);
  if (category == "cpu_op" || category == "Operator") return range_of(event.read_name(), false);
  return {};
}

int64_t whole(const Json& object, const char* key, int64_t otherwise) {
  const auto found = object.find(key);
  if (found == object.end()) return otherwise;
  if (found->is_number_integer()) return found->get<int64_t>();
  if (!found->is_string()) return otherwise;
  return interop::number_of<int64_t>(found->get_ref<const std::string&>()).value_or(otherwise);
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// The host in the name that PyTorch's tensorboard_trace_handler gives a trace: HOST_PROCESS.TIME,
/// then an ending. Empty: it has another name, or one of another process than `own`. 0: nobody
/// knows which process it is.
std::string host_in_name(const std::string& file, uint64_t own) {
  std::string_view name = std::string_view(file).substr(file.find_last_of('/') + 1);
  if (name.ends_with(".gz")) name.remove_suffix(3);
  constexpr std::string_view ending = ".pt.trace.json";
  if (!name.ends_with(ending)) return {};
  name.remove_suffix(ending.size());
  const size_t time = name.rfind('.'), process = name.rfind('_', time);
  if (time == std::string_view::npos || process == std::string_view::npos) return {};
  if (!interop::number_of<uint64_t>(name.substr(time + 1))) return {};
  const auto number = interop::number_of<uint64_t>(name.substr(process + 1, time - process - 1));
  if (!number || (own != 0 && *number != own)) return {};
  return std::string(name.substr(0, process));
}

/// "distributedInfo" of what stands around the events; an empty object where there is none.
Json job_of(const std::string& rest) {
  const Json document = parse_json(rest);
  if (!document.is_object()) return Json::object();
  const auto job = document.find("distributedInfo");
  return job != document.end() && job->is_object() ? *job : Json::object();
}

class Reader {
 public:
  explicit Reader(const std::string& file) : events_(file, "traceEvents") { profile_.file = file; }

  RankProfile run() {
    while (events_.next()) {
      event_.begin(events_.object());
      const auto category = wanted(event_);
      if (event_.failed()) fail("this event is no JSON");
      if (category) add(*category);
    }
    read_job(events_.rest());
    count_from_earliest();
    interop::name_by_ranges(profile_);
    if (!has_steps_) cut_after_updates();
    if (profile_.events.empty())
      throw InputError({profile_.file, 0, 0},
                       "this trace has no event of a device, of its launches or of its steps");
    return std::move(profile_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({profile_.file, events_.line(), 0}, message);
  }

  /// Events stand in any order: the first of the file need not be the earliest.
  void count_from_earliest() {
    Time earliest;
    for (const ProfiledEvent& event : profile_.events) earliest = std::min(earliest, event.start);
    if (earliest == Time{}) return;
    for (ProfiledEvent& event : profile_.events) event.start -= earliest;
    profile_.begin_us += in_seconds(earliest) * 1e6;
  }

  double checked(const std::optional<double>& time_us, const char* key) const {
    if (!time_us) fail(fmt::format("this event has no number '{}'", key));
    if (!std::isfinite(*time_us)) fail(fmt::format("'{}' of this event is beyond all times", key));
    return *time_us;
  }

  void add(EventCategory category) {
    if (!event_.read_rest()) fail("this event is no JSON");
    if (event_.phase != "X") return;
    if (profile_.events.size() == most_profiled_events)
      fail("this trace has more than 64 Mi events");
    const double start = checked(event_.start_us, "ts"), length = checked(event_.length_us, "dur");
    if (profile_.events.empty()) profile_.begin_us = start;
    if (length < 0) fail(fmt::format("this event ends before it begins: 'dur' is {}", length));
    if (std::abs(start - profile_.begin_us) > longest_us || length > longest_us)
      fail("this event is not within 23 days of the first");
    ProfiledEvent one{.category = category, .name = place_of(event_.name)};
    if (!is_range(one)) return;
    one.start = seconds((start - profile_.begin_us) * 1e-6);
    one.duration = seconds(length * 1e-6);
    one.thread = event_.row.value_or(0);
    one.correlation = event_.correlation.value_or(0);
    if (category == EventCategory::launch) process_ = number_of_process();
    if (runs_on_device(category)) one.stream = stream_of(event_.stream.value_or(one.thread));
    if (event_.names_collective && may_be_collective(category))
      one.collective = collective_of();
    else if (category == EventCategory::collective_range)
      one.collective = collective_called(event_.name);
    if (category == EventCategory::collective_range && one.collective < 0) return;
    profile_.events.push_back(one);
  }

  static bool runs_on_device(EventCategory category) {
    return category == EventCategory::kernel || category == EventCategory::copy;
  }

  uint64_t number_of_process() const {
    return static_cast<uint64_t>(std::max<int64_t>(event_.process.value_or(0), 0));
  }

  /// Releases for ROCm say a stream by the row of an event alone, some besides as an address.
  static int32_t stream_of(int64_t row) {
    return static_cast<int32_t>(std::clamp<int64_t>(row, -1, INT32_MAX));
  }

  /// Whether an event that may be a step or an optimizer is one by its name; a step gets its
  /// number.
  bool is_range(ProfiledEvent& one) {
    const std::string_view name = profile_.name(one);
    if (one.category == EventCategory::optimizer_range) return name.starts_with(optimizer_name);
    if (one.category != EventCategory::step) return true;
    if (!name.starts_with(step_name)) return false;
    has_steps_ = true;
    one.number = interop::number_of<int32_t>(name.substr(step_name.size())).value_or(0);
    return true;
  }

  static bool may_be_collective(EventCategory category) {
    return category == EventCategory::kernel || category == EventCategory::collective_range;
  }

  uint32_t place_of(const std::string& name) {
    const auto [place, fresh] =
        name_places_.emplace(name, static_cast<uint32_t>(profile_.names.size()));
    if (fresh) profile_.names.push_back(name);
    return place->second;
  }

  /// The few events that name a collective are read as documents.
  int32_t collective_of() {
    const Json args = parse_json(events_.object())["args"];
    ProfiledCollective one{.name = text_of(args, "Collective name"),
                           .group = text_of(args, "Process Group Name"),
                           .description = text_of(args, "Process Group Description"),
                           .ranks = text_of(args, "Process Group Ranks")};
    one.size = static_cast<int32_t>(whole(args, "Group size", 0));
    const int64_t of_type = bytes_of_torch_type(text_of(args, "dtype")), most = int64_t{1} << 50;
    one.bytes = std::clamp<int64_t>(whole(args, "In msg nelems", 0), 0, most) * of_type;
    one.received = std::clamp<int64_t>(whole(args, "Out msg nelems", 0), 0, most) * of_type;
    one.peer = peer_of(args, one);
    return place_of(std::move(one));
  }

  /// Releases before 2.7 give the place of the peer in its group as 'Rank'.
  static int32_t peer_of(const Json& args, const ProfiledCollective& message) {
    const bool sends = message.name == "send";
    if (!sends && message.name != "recv") return -1;
    if (const int64_t peer = whole(args, sends ? "Dst Rank" : "Src Rank", -1); peer >= 0)
      return static_cast<int32_t>(std::min<int64_t>(peer, INT32_MAX));
    const std::vector<std::string_view> ranks = interop::split(message.ranks, "[], ", false);
    const int64_t place = whole(args, "Rank", -1);
    if (place < 0 || place >= static_cast<int64_t>(ranks.size())) return -1;
    return interop::number_of<int32_t>(ranks[static_cast<size_t>(place)]).value_or(-1);
  }

  /// "nccl:all_to_all", "nccl:send 0->1": before PyTorch 2.1 a call says no more. -1: nor does it
  /// say what it is.
  int32_t collective_called(std::string_view range) {
    if (!range.starts_with(nccl_name)) return -1;
    range.remove_prefix(nccl_name.size());
    const std::string_view name = range.substr(0, range.find(' '));
    if (name == "coalesced" || interop::nccl_kind(name) == interop::NcclKind::unknown) return -1;
    return place_of(ProfiledCollective{.name = std::string(name)});
  }

  int32_t place_of(ProfiledCollective one) {
    const auto [place, fresh] =
        collective_places_.emplace(one, static_cast<int32_t>(profile_.collectives.size()));
    if (fresh) profile_.collectives.push_back(std::move(one));
    return place->second;
  }

  /// Without marks a step is what lies between two updates, if there are any two.
  void cut_after_updates() {
    std::vector<interop::NvtxRange> ranges;
    for (const ProfiledEvent& event : profile_.events) {
      const bool updates = event.category == EventCategory::optimizer_range;
      if (updates || event.category == EventCategory::backward_range)
        ranges.push_back(
            {.meaning = updates ? interop::NvtxMeaning::optimizer : interop::NvtxMeaning::backward,
             .thread = event.thread,
             .start = event.start,
             .end = event.end()});
    }
    const std::vector<interop::NvtxRange> steps = interop::nvtx_steps(ranges);
    if (steps.size() < 2) return;
    for (const interop::NvtxRange& step : steps) {
      const Time begin = std::max(step.start, Time{} - longest_step);
      profile_.events.push_back({.category = EventCategory::step,
                                 .start = begin,
                                 .duration = step.end - begin,
                                 .thread = step.thread,
                                 .number = step.number});
    }
  }

  /// What stands around the events says which rank of how many this is.
  void read_job(const std::string& rest) {
    const Json job = job_of(rest);
    profile_.rank = static_cast<int>(whole(job, "rank", -1));
    profile_.world = static_cast<int>(whole(job, "world_size", -1));
    profile_.host = text_of(job, "hostname");
    if (profile_.host.empty()) profile_.host = host_in_name(profile_.file, process_);
    interop::complete_groups(job, profile_);
  }

  JsonEvents events_;
  interop::TorchEvent event_;
  RankProfile profile_;
  bool has_steps_ = false;
  uint64_t process_ = 0;  ///< of what launches; 0: it does not say
  std::unordered_map<std::string, uint32_t> name_places_;
  std::map<ProfiledCollective, int32_t> collective_places_;
};

}  // namespace

RankProfile read_torch_profile(const std::string& file) { return Reader(file).run(); }

int read_torch_rank(const std::string& file) {
  const JsonEvents events(file, "traceEvents");
  return static_cast<int>(whole(job_of(events.rest() + "}"), "rank", -1));
}

int64_t bytes_of_torch_type(std::string_view type) {
  static constexpr std::array<std::pair<std::string_view, int64_t>, 12> sizes = {
      {{"Float", 4},
       {"Double", 8},
       {"Half", 2},
       {"BFloat16", 2},
       {"Long", 8},
       {"Int", 4},
       {"Short", 2},
       {"Byte", 1},
       {"Char", 1},
       {"Bool", 1},
       {"Float8_e4m3fn", 1},
       {"Float8_e5m2", 1}}};
  for (const auto& [name, size] : sizes)
    if (type == name) return size;
  return 0;
}

}  // namespace pipewright
