#include "interop/nsys_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "interop/nsys_devices.hpp"
#include "interop/nvtx_ranges.hpp"

namespace pipewright {
namespace {

using interop::NsysPlace;
using interop::NvtxMeaning;
using interop::NvtxRange;
using interop::SqliteFile;
using interop::SqliteRows;

constexpr int64_t process_bits = ~int64_t{0xffffff};

/// The calls of NCCL, by thread.
class Calls {
 public:
  void add(const NvtxRange& range) { calls_[range.thread].push_back(range); }
  void sort() {
    for (auto& [thread, all] : calls_) std::ranges::stable_sort(all, {}, &NvtxRange::start);
  }
  /// The last call that began before `at`, unless it has ended; null: none.
  const NvtxRange* around(int64_t thread, Time at) const {
    const auto found = calls_.find(thread);
    if (found == calls_.end()) return nullptr;
    const auto after = std::ranges::upper_bound(found->second, at, {}, &NvtxRange::start);
    if (after == found->second.begin()) return nullptr;
    const NvtxRange& call = *std::prev(after);
    return at <= call.end ? &call : nullptr;
  }

 private:
  std::map<int64_t, std::vector<NvtxRange>> calls_;
};

struct Process {
  std::vector<NvtxRange> ranges;
  Calls calls;
  int64_t marking_thread = 0;
  bool names_backward = false;
};

class NsysReader {
 public:
  explicit NsysReader(const std::string& file)
      : database_(file), devices_(interop::read_nsys_devices(database_)) {
    for (const auto& [id, launched] : devices_.launched) processes_[id];
  }

  std::vector<RankProfile> run() {
    collect_ranges();
    for (auto& [id, process] : processes_) add_ranges(id, process);
    read_launches();
    return in_order();
  }

 private:
  void collect_ranges() {
    if (!database_.has_table("NVTX_EVENTS")) return;
    const bool has_ids = !database_.first_column("NVTX_EVENTS", {"textId"}).empty();
    SqliteRows rows = database_.rows(fmt::format(
        "SELECT n.start, n.end, n.globalTid, {} WHERE n.end IS NOT NULL",
        has_ids ? "COALESCE(n.text, s.value) FROM NVTX_EVENTS n LEFT JOIN StringIds s ON "
                  "s.id = n.textId"
                : "n.text FROM NVTX_EVENTS n"));
    while (rows.next()) {
      const auto process = processes_.find(process_of(rows.number(2)));
      if (process != processes_.end()) add_range(rows, process->second);
    }
  }

  void add_range(const SqliteRows& rows, Process& process) const {
    std::optional<NvtxRange> range = interop::nvtx_range(rows.text(3).value_or(""));
    if (!range) return;
    std::tie(range->start, range->end) = interop::nsys_times(rows, database_.file());
    range->thread = rows.number(2);
    if (range->meaning == NvtxMeaning::collective)
      process.calls.add(*range);
    else
      process.ranges.push_back(std::move(*range));
  }

  /// Old exports do not tell processes apart.
  int64_t process_of(int64_t thread) const {
    const bool apart = processes_.size() > 1 || processes_.begin()->first != 0;
    return apart ? thread & process_bits : 0;
  }

  void add_ranges(int64_t id, Process& process) {
    process.calls.sort();
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

  void add_launch(const Process& process, const NsysPlace& place, const SqliteRows& rows) {
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
    if (const NvtxRange* call = process.calls.around(rows.number(3), start))
      name_collective(profile, profile.events[place.event], call->word);
  }

  static void name_collective(RankProfile& profile, ProfiledEvent& event, const std::string& name) {
    if (event.category != EventCategory::kernel ||
        profile.name(event).find("nccl") == std::string::npos)
      return;
    auto found = std::ranges::find(profile.collectives, name, &ProfiledCollective::name);
    if (found == profile.collectives.end())
      found = profile.collectives.insert(found, ProfiledCollective{.name = name});
    event.collective = static_cast<int32_t>(found - profile.collectives.begin());
  }

  /// The ranks of processes, where MPI numbers them.
  std::map<int64_t, int> numbers() const {
    std::map<int64_t, int> of_process;
    const bool one_each = processes_.size() == devices_.ranks.size();
    if (!one_each || database_.first_column("MPI_RANKS", {"globalPid"}).empty()) return of_process;
    SqliteRows rows = database_.rows("SELECT globalPid, rank FROM MPI_RANKS");
    while (rows.next())
      of_process[rows.number(0)] =
          static_cast<int>(std::clamp<int64_t>(rows.number(1), -1, 1 << 20));
    return of_process;
  }

  std::vector<RankProfile> in_order() {
    const std::map<int64_t, int> known = numbers();
    std::map<std::tuple<int, int64_t, int64_t>, size_t> order;
    for (const auto& [key, rank] : devices_.ranks) {
      RankProfile& profile = devices_.profiles[rank];
      const auto found = known.find(key.second);
      if (found != known.end()) profile.rank = found->second;
      order[{profile.rank, key.first, key.second}] = rank;
    }
    std::vector<RankProfile> sorted;
    for (const auto& [key, rank] : order) sorted.push_back(std::move(devices_.profiles[rank]));
    return sorted;
  }

  SqliteFile database_;
  interop::NsysDevices devices_;
  std::map<int64_t, Process> processes_;
};

}  // namespace

std::vector<RankProfile> read_nsys_profiles(const std::string& file) {
  return NsysReader(file).run();
}

}  // namespace pipewright
