#include "report/text/collective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/required.hpp"
#include "base/text.hpp"
#include "report/text/numbers.hpp"

namespace pipewright {
namespace {

bool is_drawn(const CollectiveTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const CollectiveRow& row) { return row.p50_s.has_value(); });
}

bool is_against(const CollectiveTable& table) {
  return std::any_of(table.rows.begin(), table.rows.end(),
                     [](const CollectiveRow& row) { return row.measured_s.has_value(); });
}

const char* reduction(const CollectiveTable& table) {
  const bool reduces = table.operation.find("reduce") != std::string::npos;
  return reduces ? "sum" : "none";
}

int root(const CollectiveTable& table) {
  return table.operation == "broadcast" || table.operation == "reduce" ? 0 : -1;
}

/// Times as nccl-tests prints them: five characters if they fit.
std::string microseconds_text(double s) {
  const double us = s * 1e6;
  return fmt::format("{:.{}f}", us, us < 99.995 ? 2 : us < 9999.95 ? 1 : 0);
}

std::string choice_text(const CollectiveRow& row) {
  if (!row.choice) return "-";
  return fmt::format("{}/{}/{}", name(row.choice->algorithm), name(row.choice->protocol),
                     row.choice->channels);
}

/// Returns the error of a row that was measured.
std::string error_text(const CollectiveRow& row) {
  const std::optional<double> error = row.error();
  return error ? fmt::format("{:.1f} %", 100 * *error) : "known";
}

std::string headline_of(const CollectiveTable& table) {
  return fmt::format("{} on {}: {} ranks on {}", table.operation, table.cluster, table.ranks,
                     counted(table.nodes, "node"));
}

std::string header(const CollectiveTable& table, bool against) {
  std::string text =
      fmt::format("#{:>12} {:>13} {:>9} {:>7} {:>7} {:>10} {:>8} {:>8}  {:<16}", "size", "count",
                  "type", "redop", "root", "time", "algbw", "busbw", "algorithm");
  const bool drawn = is_drawn(table);
  text += drawn ? fmt::format(" {:>10} {:>10}", "p50", "p95") : "";
  text += against ? fmt::format(" {:>10} {:>8}", "measured", "error") : "";
  text += fmt::format("\n#{:>12} {:>13} {:>9} {:>7} {:>7} {:>10} {:>8} {:>8}", "(B)", "(elements)",
                      "", "", "", "(us)", "(GB/s)", "(GB/s)");
  if (drawn || against) text += fmt::format("  {:<16}", "");
  if (drawn) text += fmt::format(" {:>10} {:>10}", "(us)", "(us)");
  return text + (against ? fmt::format(" {:>10}\n", "(us)") : "\n");
}

std::string line(const CollectiveTable& table, const CollectiveRow& row, bool against) {
  std::string text = fmt::format(
      " {:>12} {:>13} {:>9} {:>7} {:>7} {:>10} {:>8.2f} {:>8.2f}  {:<16}", row.bytes.count,
      elements(table, row), table.type, reduction(table), root(table),
      microseconds_text(row.time_s), algorithm_bandwidth(row) * 1e-9,
      bus_bandwidth(table, row) * 1e-9, choice_text(row) + (row.extrapolated ? " *" : ""));
  if (row.p50_s)
    text += fmt::format(" {:>10} {:>10}", microseconds_text(*row.p50_s),
                        microseconds_text(required(row.p95_s, "it stands with p50")));
  if (against && row.measured_s)
    text += fmt::format(" {:>10} {:>9}", microseconds_text(*row.measured_s), error_text(row));
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

/// Returns what is said of sizes whose times the prediction was made of.
std::string known_text(const CollectiveTable& table) {
  const auto known = std::ranges::count_if(table.rows, &CollectiveRow::is_known);
  if (known == 0) return {};
  return fmt::format(
      "# Known: the network profile holds the measured time of {}: nothing is predicted "
      "there\n",
      counted(known, "size"));
}

/// Median and 95th percentile of the errors' sizes.
std::string errors_text(const CollectiveTable& table) {
  std::vector<double> sizes;
  for (const CollectiveRow& row : table.rows)
    if (const std::optional<double> error = row.error()) sizes.push_back(std::abs(*error));
  if (sizes.empty()) return {};
  std::sort(sizes.begin(), sizes.end());
  const auto at = [&](double share) {
    return sizes[std::min(sizes.size() - 1, static_cast<size_t>(share * double(sizes.size())))];
  };
  return fmt::format("# Error of {}: median {:.1f} %, 95th percentile {:.1f} %\n",
                     counted(static_cast<int64_t>(sizes.size()), "size"), 100 * at(0.5),
                     100 * at(0.95));
}

/// The names of the columns with their units, for Markdown.
std::vector<std::string> titles_of(const CollectiveTable& table) {
  std::vector<std::string> names = {"size (B)", "time (us)", "algbw (GB/s)", "busbw (GB/s)",
                                    "algorithm"};
  if (is_drawn(table)) names.insert(names.end(), {"p50 (us)", "p95 (us)"});
  if (is_against(table)) names.insert(names.end(), {"measured (us)", "error"});
  return names;
}

std::vector<std::string> cells_of(const CollectiveTable& table, const CollectiveRow& row) {
  const auto time = [](const std::optional<double>& s) { return s ? microseconds_text(*s) : "-"; };
  std::vector<std::string> cells = {fmt::format("{}", row.bytes.count),
                                    microseconds_text(row.time_s),
                                    fmt::format("{:.2f}", algorithm_bandwidth(row) * 1e-9),
                                    fmt::format("{:.2f}", bus_bandwidth(table, row) * 1e-9),
                                    choice_text(row) + (row.extrapolated ? " *" : "")};
  if (is_drawn(table)) cells.insert(cells.end(), {time(row.p50_s), time(row.p95_s)});
  if (is_against(table)) {
    cells.push_back(time(row.measured_s));
    cells.push_back(row.measured_s ? error_text(row) : "-");
  }
  return cells;
}

/// Says how sure times over more nodes than the measured ones are.
std::string beyond_text(const BeyondMeasured& beyond) {
  constexpr double decile = 1.2816;  // of a normal number
  const double reach = std::exp(decile * beyond.deviation);
  return fmt::format(
      "# * beyond the {} that were measured, by a fit: four in five networks take {:.2f} to {:.2f} "
      "times as long\n",
      counted(beyond.nodes, "node"), 1 / reach, reach);
}

std::string left_out_text(const CollectiveTable& table) {
  return table.left_out.empty() ? ""
                                : fmt::format(
                                      "# not shown of what was measured: {}; see --kind, "
                                      "--ranks and --datatype\n",
                                      table.left_out);
}

/// What nccl-tests prints below its table.
std::string footer(const CollectiveTable& table) {
  double sum = 0;
  bool extrapolated = false;
  for (const CollectiveRow& row : table.rows) {
    sum += bus_bandwidth(table, row) * 1e-9;
    extrapolated = extrapolated || row.extrapolated;
  }
  std::string text = table.beyond   ? beyond_text(*table.beyond)
                     : extrapolated ? "# * outside the sizes that were measured\n"
                                    : "";
  text += fmt::format("# Avg bus bandwidth    : {:.4g}\n",
                      table.rows.empty() ? 0 : sum / static_cast<double>(table.rows.size()));
  return is_against(table) ? text + known_text(table) + errors_text(table) + left_out_text(table)
                           : text;
}

}  // namespace

std::string collective_answer(const CollectiveTable& table) {
  if (table.rows.empty()) return {};
  const auto bandwidth = [&](const CollectiveRow& row) { return bus_bandwidth(table, row); };
  const CollectiveRow& last = table.rows.back();
  const double best = bandwidth(*std::ranges::max_element(table.rows, {}, bandwidth));
  const auto half = std::ranges::find_if(
      table.rows, [&](const CollectiveRow& row) { return bandwidth(row) >= best / 2; });
  std::string text =
      fmt::format("{} of {} takes {}", table.operation, human(last.bytes), human_time(last.time_s));
  if (last.p50_s)
    text += fmt::format(", over drawn routes {} in the median and {} in the 95th percentile",
                        human_time(*last.p50_s),
                        human_time(required(last.p95_s, "it stands with p50")));
  return text + fmt::format(". The bus carries {} at best, and half of that from {} on.",
                            human_rate(best, "B/s"), human(half->bytes));
}

Report collective_report(const CollectiveTable& table) {
  const bool against = is_against(table);
  std::string text = "#\n" + header(table, against);
  TableRows rows = {titles_of(table)};
  for (const CollectiveRow& row : table.rows) {
    text += line(table, row, against);
    rows.push_back(cells_of(table, row));
  }
  const std::string headline = headline_of(table);
  return Report()
      .heading(headline, fmt::format("# {}\n", headline))
      .items(fmt::format("# predicted by profile {}\n", table.by))
      .table(std::move(rows), std::move(text))
      .items(footer(table));
}

}  // namespace pipewright
