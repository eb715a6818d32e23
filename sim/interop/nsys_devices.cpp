#include "interop/nsys_devices.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace pipewright::interop {
namespace {

constexpr const char* kernels = "CUPTI_ACTIVITY_KIND_KERNEL";
constexpr const char* graphs = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE";
// In place of the places of names.
constexpr int64_t no_name = -1, own_memory = -2;
constexpr const char* copies = "CUPTI_ACTIVITY_KIND_MEMCPY";

/// Places of the columns of the query in read_table().
enum Column { start, end, device, stream, correlation, process, name };

class DeviceTables {
 public:
  explicit DeviceTables(const SqliteFile& database) : database_(database) {}

  NsysDevices run() {
    if (!database_.has_table(kernels) && database_.has_table(graphs))
      fail(
          "has CUDA graphs as a whole only: record it with 'nsys profile --cuda-graph-trace=node'");
    if (!database_.has_table(kernels))
      fail(
          "is no SQLite export of Nsight Systems with kernels: record with 'nsys profile "
          "--trace=cuda,nvtx', export with 'nsys export --type sqlite'");
    const std::string name =
        database_.first_column(kernels, {"demangledName", "shortName", "mangledName"});
    if (name.empty()) fail(fmt::format("the table {} has no column demangledName", kernels));
    read_table(kernels, EventCategory::kernel, name);
    read_table(graphs, EventCategory::kernel, "");
    if (made_.profiles.empty()) fail("no kernel is in this trace");
    read_table(copies, EventCategory::copy, name_of_copies());
    read_table("CUPTI_ACTIVITY_KIND_MEMSET", EventCategory::copy, std::to_string(own_memory));
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({database_.file(), 0, 0}, message);
  }

  /// The column, or 0 where the table lacks it.
  std::string column(const char* table, std::string_view name) const {
    const std::string found = database_.first_column(table, {name});
    return found.empty() ? "0" : found;
  }

  /// Copies of kind 8 are from and to the memory of one device (ENUM_CUDA_MEMCPY_OPER).
  std::string name_of_copies() const {
    if (!database_.has_table(copies) || database_.first_column(copies, {"copyKind"}).empty())
      return {};
    return fmt::format("CASE copyKind WHEN 8 THEN {} ELSE {} END", own_memory, no_name);
  }

  void read_table(const char* table, EventCategory category, const std::string& name_column) {
    if (!database_.has_table(table)) return;
    SqliteRows rows = database_.rows(
        fmt::format("SELECT start, end, {}, {}, {}, {}, {} FROM {} WHERE end IS NOT NULL",
                    column(table, "deviceId"), column(table, "streamId"),
                    column(table, "correlationId"), column(table, "globalPid"),
                    name_column.empty() ? std::to_string(no_name) : name_column, table));
    while (rows.next()) add(rows, category);
  }

  void add(const SqliteRows& rows, EventCategory category) {
    const std::pair key{rows.number(device), rows.number(process)};
    // Processes touch other devices than their own, too: only kernels make a rank.
    if (category == EventCategory::copy && !made_.ranks.contains(key)) return;
    const size_t rank = rank_of(key);
    if (++events_ > most_profiled_events) fail("this trace has more than 64 Mi events");
    const auto [from, to] = nsys_times(rows, database_.file());
    RankProfile& profile = made_.profiles[rank];
    profile.events.push_back({.category = category,
                              .name = name_of(rank, rows.number(name)),
                              .start = from,
                              .duration = to - from,
                              .correlation = rows.number(correlation),
                              .stream = static_cast<int32_t>(rows.number(stream))});
    made_.launched[key.second][rows.number(correlation)] = {rank, profile.events.size() - 1};
  }

  size_t rank_of(const std::pair<int64_t, int64_t>& key) {
    const auto [found, fresh] = made_.ranks.emplace(key, made_.profiles.size());
    if (fresh) {
      RankProfile& profile = made_.profiles.emplace_back();
      profile.file = database_.file();
      profile.begin_us = begin_us();
      places_.emplace_back();
    }
    return found->second;
  }

  double begin_us() const {
    const char* table = "TARGET_INFO_SESSION_START_TIME";
    if (database_.first_column(table, {"utcEpochNs"}).empty()) return 0;
    SqliteRows rows = database_.rows(fmt::format("SELECT utcEpochNs FROM {}", table));
    return rows.next() ? static_cast<double>(rows.number(0)) * 1e-3 : 0;
  }

  uint32_t name_of(size_t rank, int64_t id) {
    std::vector<std::string>& names = made_.profiles[rank].names;
    const auto [found, fresh] = places_[rank].emplace(id, static_cast<uint32_t>(names.size()));
    if (!fresh) return found->second;
    if (id == own_memory)
      names.emplace_back("Memset or Memcpy DtoD");
    else
      names.push_back(id == no_name ? "CUDA graph or copy" : text_of(id));
    return found->second;
  }

  std::string text_of(int64_t id) const {
    if (!database_.has_table("StringIds")) fail("has no table StringIds, which names the kernels");
    SqliteRows rows = database_.rows(fmt::format("SELECT value FROM StringIds WHERE id = {}", id));
    return rows.next() ? rows.text(0).value_or("?") : "?";
  }

  const SqliteFile& database_;
  size_t events_ = 0;
  std::vector<std::unordered_map<int64_t, uint32_t>> places_;  ///< of names, by rank and id
  NsysDevices made_;
};

}  // namespace

NsysDevices read_nsys_devices(const SqliteFile& database) { return DeviceTables(database).run(); }

std::pair<Time, Time> nsys_times(const SqliteRows& rows, const std::string& file) {
  const Time latest = Time{} - earliest_nsys_time;
  const int64_t from = rows.number(start), to = rows.number(end);
  if (from > to || from < earliest_nsys_time.ps / 1000 || to > latest.ps / 1000)
    throw InputError({file, 0, 0},
                     "an event is not within 23 days of the begin of the session, or runs "
                     "backwards");
  return {nanoseconds(from), nanoseconds(to)};
}

}  // namespace pipewright::interop
