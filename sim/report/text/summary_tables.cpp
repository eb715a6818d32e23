#include "report/text/summary_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/required.hpp"
#include "base/text.hpp"
#include "program/names.hpp"
#include "report/text/numbers.hpp"
#include "report/text/table.hpp"
#include "result/fit.hpp"
#include "result/memory_use.hpp"

namespace pipewright {
namespace {

struct MemoryPart {
  const char* name;
  Bytes MemoryUse::*bytes;
};
constexpr MemoryPart parts[] = {
    {"weights", &MemoryUse::weights},         {"versions", &MemoryUse::weight_versions},
    {"gradients", &MemoryUse::gradients},     {"optimizer", &MemoryUse::optimizer},
    {"activations", &MemoryUse::activations}, {"buffers", &MemoryUse::buffers}};

/// A column of the table: what the parts add up to.
struct MemoryColumn {
  std::string name;
  std::vector<MemoryPart> parts;

  Bytes of(const RankResult& rank) const {
    Bytes sum;
    for (const MemoryPart& part : parts) sum += rank.memory.*part.bytes;
    return sum;
  }
};

std::vector<MemoryColumn> columns_in_use(const std::vector<RankResult>& ranks) {
  std::vector<MemoryColumn> used;
  for (const MemoryPart& part : parts) {
    if (std::any_of(ranks.begin(), ranks.end(),
                    [&](const RankResult& rank) { return rank.memory.*part.bytes > Bytes{}; }))
      used.push_back({part.name, {part}});
  }
  return used;
}

/// Makes one column at the end of the two that hold least.
void join_least(const std::vector<RankResult>& ranks, std::vector<MemoryColumn>& columns) {
  const auto held = [&](const MemoryColumn& column) {
    Bytes sum;
    for (const RankResult& rank : ranks) sum += column.of(rank);
    return sum;
  };
  MemoryColumn other{"other", {}};
  for (int k = 0; k < 2; ++k) {
    const auto least = std::ranges::min_element(columns, {}, held);
    other.parts.insert(other.parts.end(), least->parts.begin(), least->parts.end());
    columns.erase(least);
  }
  columns.push_back(std::move(other));
}

size_t width_of(const TableRows& rows) { return aligned(rows, 2).find('\n'); }

/// The `most` ranks with the least head room, in the order of their numbers.
std::vector<RankResult> fullest(std::vector<RankResult> ranks, size_t most) {
  if (ranks.size() <= most) return ranks;
  std::stable_sort(ranks.begin(), ranks.end(), [](const RankResult& a, const RankResult& b) {
    return std::pair(memory_share(a).value_or(0), a.memory.total()) >
           std::pair(memory_share(b).value_or(0), b.memory.total());
  });
  ranks.resize(most);
  std::sort(ranks.begin(), ranks.end(),
            [](const RankResult& a, const RankResult& b) { return a.rank < b.rank; });
  return ranks;
}

/// Some activations are held on to the weight gradient, after what the next stage needs is done.
bool holds_to_weight_gradient(const RankResult& rank) {
  return rank.peak_in_flight_to_weight_gradient != rank.peak_in_flight;
}

bool capacities_differ(const std::vector<RankResult>& ranks) {
  return std::ranges::any_of(
      ranks, [&](const RankResult& rank) { return rank.capacity != ranks.front().capacity; });
}

/// "91 %", with "of 16 GiB" where others have another capacity.
std::string share_text(const RankResult& rank, bool capacities_differ) {
  const std::optional<double> share = memory_share(rank);
  if (!share) return "-";
  if (!capacities_differ) return percent(*share);
  return fmt::format("{} of {}", percent(*share),
                     human(required(rank.capacity, "it is a share of it")));
}

TableRows memory_rows(const RunResult& result, const std::vector<RankResult>& shown,
                      const std::vector<MemoryColumn>& columns) {
  const std::vector<RankResult>& ranks = result.metrics.ranks;
  const bool differ = capacities_differ(ranks);
  const bool to_weight_gradient = std::any_of(ranks.begin(), ranks.end(), holds_to_weight_gradient);
  std::vector<std::string> header = {"rank", "peak"};
  if (result.fit.device_memory)
    header.push_back(differ ? "share" : fmt::format("of {}", human(*result.fit.device_memory)));
  for (const MemoryColumn& column : columns) header.push_back(column.name);
  header.push_back("in flight");
  if (to_weight_gradient) header.push_back("to W");
  TableRows rows = {header};
  for (const RankResult& rank : shown) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {fmt::format("{}", rank.rank), human(rank.memory.total())};
    if (result.fit.device_memory) row.push_back(share_text(rank, differ));
    for (const MemoryColumn& column : columns) row.push_back(human(column.of(rank)));
    row.push_back(fmt::format("{}", rank.peak_in_flight));
    if (to_weight_gradient)
      row.push_back(fmt::format("{}", rank.peak_in_flight_to_weight_gradient));
  }
  return rows;
}

}  // namespace

Report memory_table(const RunResult& result, size_t width, size_t most_ranks) {
  const std::vector<RankResult>& ranks = result.metrics.ranks;
  const std::vector<RankResult> shown = fullest(ranks, most_ranks);
  std::vector<MemoryColumn> columns = columns_in_use(ranks);
  TableRows rows = memory_rows(result, shown, columns);
  while (width_of(rows) > width && columns.size() > 2) {
    join_least(ranks, columns);
    rows = memory_rows(result, shown, columns);
  }
  Report report;
  report.table(std::move(rows), 2);
  if (ranks.size() > most_ranks)
    report.lines(fmt::format("  and {} less full\n",
                             counted(static_cast<int64_t>(ranks.size() - most_ranks), "rank")));
  return report;
}

Report communication_table(const Metrics& metrics) {
  TableRows rows = {{"communication", "sent by all", "in progress", "waited for"}};
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    const Communication& c = metrics.communication[kind];
    if (c.bytes == 0 && c.time == Time{}) continue;
    rows.push_back({to_string(static_cast<Traffic>(kind)), human_bytes(c.bytes), human(c.time),
                    human(metrics.breakdown.exposed[kind])});
  }
  return rows.size() == 1 ? Report() : Report().table(std::move(rows), 2);
}

Report flow_table(const std::vector<FlowResult>& flows, size_t most_flows) {
  TableRows rows = {{"flow", "from", "to", "bytes", "start", "end", "rate"}};
  for (size_t k = 0; k < std::min(flows.size(), most_flows); ++k) {
    const FlowResult& flow = flows[k];
    const double took = in_seconds(flow.end - flow.start);
    rows.push_back({fmt::format("{}", k), fmt::format("{}", flow.from), fmt::format("{}", flow.to),
                    human(flow.bytes), human(flow.start), human(flow.end)});
    if (took > 0)
      rows.back().push_back(human_rate(static_cast<double>(flow.bytes.count) / took, "B/s"));
  }
  Report report;
  report.table(std::move(rows), 2);
  if (flows.size() > most_flows)
    report.lines(fmt::format("  and {} more\n", flows.size() - most_flows));
  return report;
}

}  // namespace pipewright
