#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "interop/nccl_run.hpp"
#include "interop/words.hpp"

namespace pipewright::interop {
namespace {

constexpr std::string_view wanted[] = {"op", "dtype", "ranks", "bytes", "time_s"};
constexpr std::string_view operations[] = {
    "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast", "reduce", "send_recv"};

struct Type {
  std::string_view name;
  int bytes;
};
constexpr Type types[] = {{"int8", 1},    {"uint8", 1},    {"char", 1},   {"f8e4m3", 1},
                          {"f8e5m2", 1},  {"fp8", 1},      {"half", 2},   {"fp16", 2},
                          {"float16", 2}, {"bfloat16", 2}, {"bf16", 2},   {"int32", 4},
                          {"uint32", 4},  {"float", 4},    {"fp32", 4},   {"float32", 4},
                          {"int64", 8},   {"uint64", 8},   {"double", 8}, {"fp64", 8}};

constexpr int most_jobs = 1'000'000;

using ColumnPlaces = std::array<size_t, std::size(wanted)>;

/// The place of a column that a table may have.
std::optional<size_t> place_of(std::string_view column, std::string_view header) {
  const std::vector<std::string_view> names = split(header, ",", true);
  const auto found = std::find(names.begin(), names.end(), column);
  if (found == names.end()) return std::nullopt;
  return static_cast<size_t>(found - names.begin());
}

/// The columns that a table may have. Without nodes there is one.
struct MoreColumns {
  std::optional<size_t> nodes, p5, p95, jobs;

  explicit MoreColumns(std::string_view header)
      : nodes(place_of("nodes", header)),
        p5(place_of("time_p5_s", header)),
        p95(place_of("time_p95_s", header)),
        jobs(place_of("jobs", header)) {}
};

std::optional<double> time_at(const std::optional<size_t>& place,
                              const std::vector<std::string_view>& words, const Where& at) {
  if (!place || words[*place].empty()) return std::nullopt;
  const std::optional<double> time = number_of<double>(words[*place]);
  if (!time || *time <= 0) throw InputError(at, fmt::format("'{}' is no time", words[*place]));
  return time;
}

/// The percentiles that a row may have are on either side of its median.
void read_percentiles(const MoreColumns& more, const std::vector<std::string_view>& words,
                      const Where& at, NcclPoint& point) {
  point.p5_s = time_at(more.p5, words, at);
  point.p95_s = time_at(more.p95, words, at);
  if (point.p5_s && *point.p5_s > point.time_s)
    throw InputError(at, fmt::format("time_p5_s is {:g} s, above time_s, which is {:g} s",
                                     *point.p5_s, point.time_s));
  if (point.p95_s && *point.p95_s < point.time_s)
    throw InputError(at, fmt::format("time_p95_s is {:g} s, below time_s, which is {:g} s",
                                     *point.p95_s, point.time_s));
}

/// Returns how many jobs a row is over; one where nothing says it.
int jobs_at(const std::optional<size_t>& place, const std::vector<std::string_view>& words,
            const Where& at) {
  if (!place || words[*place].empty()) return 1;
  const std::optional<int> jobs = number_of<int>(words[*place]);
  if (!jobs || *jobs < 1 || *jobs > most_jobs)
    throw InputError(at, fmt::format("'{}' is no number of jobs", words[*place]));
  return *jobs;
}

int nodes_of(std::string_view cell, int ranks, const Where& at) {
  const std::optional<int> nodes = number_of<int>(cell);
  if (!nodes || *nodes < 1 || *nodes > ranks)
    throw InputError(at, fmt::format("'{}' is no number of nodes of {} ranks", cell, ranks));
  if (ranks % *nodes != 0)
    throw InputError(at, fmt::format("{} ranks do not divide by {} nodes", ranks, *nodes));
  return *nodes;
}

ColumnPlaces columns_of(std::string_view header, const std::string& file) {
  const std::vector<std::string_view> names = split(header, ",", true);
  ColumnPlaces columns{};
  for (size_t i = 0; i < std::size(wanted); ++i) {
    const auto found = std::find(names.begin(), names.end(), wanted[i]);
    if (found == names.end()) {
      throw InputError({file, 1, 1},
                       fmt::format("a table of collectives needs the column '{}'", wanted[i]));
    }
    columns[i] = static_cast<size_t>(found - names.begin());
  }
  return columns;
}

NcclPoint point_of(const std::array<std::string_view, std::size(wanted)>& cells, const Where& at) {
  NcclPoint point{.operation = std::string(cells[0]), .type = std::string(cells[1])};
  if (std::find(std::begin(operations), std::end(operations), cells[0]) == std::end(operations))
    throw InputError(at, fmt::format("unknown op '{}'", cells[0]));
  const std::optional<int> size = element_bytes(cells[1]);
  if (!size) throw InputError(at, fmt::format("unknown dtype '{}'", cells[1]));
  const std::optional<int> ranks = number_of<int>(cells[2]);
  if (!ranks || *ranks < 2 || *ranks > 1'000'000)
    throw InputError(at, fmt::format("'{}' is no number of ranks", cells[2]));
  const std::optional<int64_t> bytes = number_of<int64_t>(cells[3]);
  if (!bytes || *bytes < 0) throw InputError(at, fmt::format("'{}' is no size", cells[3]));
  const std::optional<double> time = number_of<double>(cells[4]);
  if (!time || *time <= 0) throw InputError(at, fmt::format("'{}' is no time", cells[4]));
  point.element_bytes = *size;
  point.ranks = *ranks;
  point.bytes = {*bytes};
  point.time_s = *time;
  return point;
}

/// Refuses a time that no noise explains, after that of fewer bytes of the same group, which is not
/// the first of its curve: the first may take in what starts up.
void check_growth(const std::vector<NcclPoint>& points, const Where& at) {
  if (points.size() < 3) return;
  const auto follows = [](const NcclPoint& later, const NcclPoint& one) {
    return later.operation == one.operation && later.ranks == one.ranks &&
           later.nodes == one.nodes && later.bytes > one.bytes;
  };
  const NcclPoint &last = points.back(), &before = points.end()[-2], &first = points.end()[-3];
  if (!follows(last, before) || !follows(before, first)) return;
  if (last.time_s * least_growth < before.time_s)
    throw InputError(
        at,
        fmt::format("{} bytes take {:.4g} us, {} bytes took {:.4g} us: no noise is so "
                    "large",
                    last.bytes.count, last.time_s * 1e6, before.bytes.count, before.time_s * 1e6));
}

/// Tells whether a line names columns of a table, and is none of a log.
bool is_header(std::string_view line) {
  const std::vector<std::string_view> names = split(line, ",", true);
  return std::count_if(std::begin(wanted), std::end(wanted), [&](std::string_view column) {
           return std::find(names.begin(), names.end(), column) != names.end();
         }) > 1;
}

}  // namespace

std::optional<int> element_bytes(std::string_view type) {
  for (const Type& known : types)
    if (known.name == type) return known.bytes;
  return std::nullopt;
}

std::vector<NcclPoint> read_nccl_table(std::string_view text, const std::string& file) {
  const std::string_view header = take_line(text);
  const ColumnPlaces columns = columns_of(header, file);
  const MoreColumns more(header);
  const size_t named = split(header, ",", true).size();
  std::vector<NcclPoint> points;
  for (int line = 2; !text.empty(); ++line) {
    const std::string_view row = take_line(text);
    if (row.empty()) continue;
    const std::vector<std::string_view> words = split(row, ",", true);
    const Where at{file, line, 1};
    if (words.size() != named)
      throw InputError(
          at, fmt::format("{} cells, and the header names {} columns", words.size(), named));
    std::array<std::string_view, std::size(wanted)> cells;
    for (size_t i = 0; i < cells.size(); ++i) cells[i] = words[columns[i]];
    points.push_back(point_of(cells, at));
    if (more.nodes) points.back().nodes = nodes_of(words[*more.nodes], points.back().ranks, at);
    read_percentiles(more, words, at, points.back());
    points.back().jobs = jobs_at(more.jobs, words, at);
    check_growth(points, at);
  }
  if (points.empty()) throw InputError({file}, "the table has no rows");
  return points;
}

std::vector<NcclPoint> read_nccl_points(std::string_view text, const std::string& file,
                                        const NcclGiven& said) {
  std::string_view rest = text;
  if (is_header(take_line(rest))) return read_nccl_table(text, file);
  return is_torch_table(text) ? read_torch_table(text, file) : read_nccl_log(text, file, said);
}

}  // namespace pipewright::interop
