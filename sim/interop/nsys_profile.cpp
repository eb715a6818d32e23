#include "interop/nsys_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "interop/nccl_calls.hpp"
#include "interop/nccl_groups.hpp"
#include "interop/nccl_kind.hpp"
#include "interop/nsys_devices.hpp"
#include "interop/nvtx_ranges.hpp"

namespace pipewright {
namespace {

using interop::NsysPlace;
using interop::NvtxMeaning;
using interop::NvtxRange;
using interop::SqliteFile;
using interop::SqliteRows;

struct Process {
  std::vector<NvtxRange> ranges;
  interop::NcclCalls calls;
  /// By thread, the kernels of NCCL that it launched.
  std::map<int64_t, std::vector<std::pair<Time, NsysPlace>>> kernels;
  int64_t marking_thread = 0;
  bool names_backward = false;
};

class NsysReader {
 public:
  NsysReader(const std::string& file, const std::vector<NsysProcess>& elsewhere)
      : database_(file),
        devices_(interop::read_nsys_devices(database_)),
        payloads_(database_),
        elsewhere_(elsewhere) {
    for (const auto& [id, launched] : devices_.launched) processes_[id];
  }

  std::vector<RankProfile> run() {
    collect_ranges();
    for (auto& [id, process] : processes_) add_ranges(id, process);
    read_launches();
    number_ranks();
    name_host();
    for (auto& [id, process] : processes_) name_collectives(process);
    return in_order();
  }

 private:
  void collect_ranges() {
    if (!database_.has_table("NVTX_EVENTS")) return;
    SqliteRows rows = interop::nsys_ranges(database_);
    while (rows.next()) {
      const auto process = processes_.find(process_of(rows.number(2)));
      if (process != processes_.end()) add_range(rows, process->first, process->second);
    }
  }

  void add_range(const SqliteRows& rows, int64_t id, Process& process) {
    const std::string text = rows.text(3).value_or("");
    const interop::NcclPayload payload =
        text.starts_with("nccl") ? interop::nsys_payload(rows, payloads_) : interop::NcclPayload{};
    groups_.add(id, payload);
    std::optional<NvtxRange> range = interop::nvtx_range(text);
    if (!range) return;
    std::tie(range->start, range->end) = interop::nsys_times(rows, database_.file());
    range->thread = rows.number(2);
    range->communicator = payload.communicator;
    range->bytes = std::max<int64_t>(payload.bytes, 0);
    if (range->meaning == NvtxMeaning::collective)
      process.calls.add(*range);
    else
      process.ranges.push_back(std::move(*range));
  }

  /// Old exports do not tell processes apart.
  int64_t process_of(int64_t thread) const {
    const bool apart = processes_.size() > 1 || processes_.begin()->first != 0;
    return apart ? thread & interop::nsys_process_bits : 0;
  }

  void add_ranges(int64_t id, Process& process) {
    const std::vector<NvtxRange> steps = interop::nvtx_steps(process.ranges);
    if (steps.empty())
      throw InputError({database_.file(), 0, 0},
                       "nothing says what a step is: put every step into an NVTX range 'step N', "
                       "or record the job under torch.autograd.profiler.emit_nvtx()");
    process.marking_thread = steps.front().thread;
    for (const NvtxRange& step : steps) add_event(id, EventCategory::step, step);
    for (const NvtxRange& range : process.ranges) {
      if (range.meaning == NvtxMeaning::optimizer)
        add_event(id, EventCategory::optimizer_range, range);
      if (range.meaning != NvtxMeaning::backward) continue;
      process.names_backward = true;
      add_event(id, EventCategory::backward_range, range);
    }
  }

  void add_event(int64_t process, EventCategory category, const NvtxRange& range) {
    const Time begin = std::max(range.start, interop::earliest_nsys_time);
    for (const auto& [key, rank] : devices_.ranks)
      if (key.second == process)
        devices_.profiles[rank].events.push_back({.category = category,
                                                  .start = begin,
                                                  .duration = range.end - begin,
                                                  .number = range.number});
  }

  void read_launches() {
    if (!database_.has_table("CUPTI_ACTIVITY_KIND_RUNTIME")) return;
    SqliteRows rows = database_.rows(
        "SELECT start, end, correlationId, globalTid FROM CUPTI_ACTIVITY_KIND_RUNTIME "
        "WHERE end IS NOT NULL");
    while (rows.next()) {
      const auto launched = devices_.launched.find(process_of(rows.number(3)));
      if (launched == devices_.launched.end()) continue;
      const auto found = launched->second.find(rows.number(2));
      if (found != launched->second.end())
        add_launch(processes_[launched->first], found->second, rows);
    }
  }

  void add_launch(Process& process, const NsysPlace& place, const SqliteRows& rows) {
    const auto [start, end] = interop::nsys_times(rows, database_.file());
    RankProfile& profile = devices_.profiles[place.rank];
    ProfiledEvent launch{
        .category = EventCategory::launch, .start = start, .duration = end - start};
    launch.correlation = rows.number(2);
    profile.events.push_back(launch);
    if (!process.names_backward && rows.number(3) != process.marking_thread) {
      launch.category = EventCategory::backward_range;
      profile.events.push_back(launch);
    }
    const ProfiledEvent& event = profile.events[place.event];
    if (event.category == EventCategory::kernel &&
        profile.name(event).find("nccl") != std::string::npos)
      process.kernels[rows.number(3)].emplace_back(start, place);
  }

  void name_collectives(Process& process) {
    for (auto& [thread, kernels] : process.kernels) {
      std::ranges::stable_sort(kernels, {}, [](const auto& one) { return one.first; });
      std::vector<Time> at;
      for (const auto& [time, place] : kernels) at.push_back(time);
      const std::vector<interop::NcclLaunch> launches = process.calls.launched(thread, at);
      for (size_t i = 0; i < kernels.size(); ++i) name_collective(kernels[i].second, launches[i]);
    }
  }

  void name_collective(const NsysPlace& place, const interop::NcclLaunch& launch) {
    RankProfile& profile = devices_.profiles[place.rank];
    ProfiledEvent& event = profile.events[place.event];
    if (launch.name.empty() ||
        !interop::may_be(interop::nccl_kind(launch.name), interop::nccl_kind(profile.name(event))))
      return;
    const ProfiledCollective one = groups_.collective_of(launch);
    const auto [found, fresh] =
        collectives_[place.rank].emplace(one, static_cast<int32_t>(profile.collectives.size()));
    if (fresh) profile.collectives.push_back(one);
    event.collective = found->second;
  }

  /// As MPI numbers processes, else as their places in the communicator of all do.
  void number_ranks() {
    const bool one_each = processes_.size() == devices_.ranks.size();
    std::map<int64_t, int> known;
    if (one_each)
      for (const auto& [process, rank] : interop::nsys_mpi_ranks(database_)) known[process] = rank;
    add_elsewhere(known);
    std::vector<int64_t> processes;
    for (const auto& [id, process] : processes_) processes.push_back(id);
    if (one_each) groups_.number(std::move(known), processes);
    for (const auto& [key, rank] : devices_.ranks) {
      devices_.profiles[rank].rank = groups_.rank_of(key.second);
      if (processes.size() + elsewhere_.size() > 1 && devices_.profiles[rank].rank >= 0)
        devices_.profiles[rank].world = groups_.world();
    }
  }

  /// Processes of other exports have numbers that no globalPid is. MPI's ranks are those of all, or
  /// of none.
  void add_elsewhere(std::map<int64_t, int>& known) {
    const bool has_mpi = !known.empty();
    int64_t id = 0;
    for (const NsysProcess& process : elsewhere_) {
      --id;
      for (const interop::NcclPayload& made : process.made) groups_.add(id, made);
      if (has_mpi && process.rank >= 0) known[id] = process.rank;
    }
  }

  /// An export is of one node.
  void name_host() {
    if (!database_.has_table("TARGET_INFO_SYSTEM_ENV")) return;
    SqliteRows rows =
        database_.rows("SELECT value FROM TARGET_INFO_SYSTEM_ENV WHERE name = 'Hostname'");
    if (!rows.next()) return;
    for (RankProfile& profile : devices_.profiles) profile.host = rows.text(0).value_or("");
  }

  std::vector<RankProfile> in_order() {
    std::map<std::tuple<int, int64_t, int64_t>, size_t> order;
    for (const auto& [key, rank] : devices_.ranks) {
      order[{devices_.profiles[rank].rank, key.first, key.second}] = rank;
    }
    std::vector<RankProfile> sorted;
    for (const auto& [key, rank] : order) sorted.push_back(std::move(devices_.profiles[rank]));
    return sorted;
  }

  SqliteFile database_;
  interop::NsysDevices devices_;
  interop::NvtxPayloads payloads_;
  const std::vector<NsysProcess>& elsewhere_;
  interop::NcclGroups groups_;
  std::map<size_t, std::map<ProfiledCollective, int32_t>> collectives_;  ///< by rank, their places
  std::map<int64_t, Process> processes_;
};

}  // namespace

std::vector<RankProfile> read_nsys_profiles(const std::string& file,
                                            const std::vector<NsysProcess>& elsewhere) {
  return NsysReader(file, elsewhere).run();
}

}  // namespace pipewright
