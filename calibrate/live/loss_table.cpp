#include "calibrate/live/loss_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/required.hpp"
#include "report/text/table.hpp"

namespace pipewright::live {
namespace {

constexpr size_t most_rows = 20;

/// Mean loss of the share (row / rows, (row + 1) / rows] of the steps.
double mean_loss(const std::vector<double>& loss, size_t row, size_t rows) {
  const auto begin = loss.begin() + static_cast<std::ptrdiff_t>(loss.size() * row / rows);
  const auto end = loss.begin() + static_cast<std::ptrdiff_t>(loss.size() * (row + 1) / rows);
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

}  // namespace

std::string loss_table(const std::vector<Replay>& replays) {
  size_t rows = most_rows;
  for (const Replay& replay : replays)
    rows = std::min(rows, replay.numerics ? replay.numerics->loss.size() : 0);
  if (rows < 2) return "";
  std::vector<std::vector<std::string>> table(rows + 1);
  table[0].push_back("data seen");
  for (size_t row = 0; row < rows; ++row)
    table[row + 1].push_back(fmt::format("{:.0f} %", 100.0 * double(row + 1) / double(rows)));
  for (const Replay& replay : replays) {
    const Numerics& numerics = required(replay.numerics, "every replay has a loss");
    table[0].push_back(replay.predicted.result.schedule);
    for (size_t row = 0; row < rows; ++row)
      table[row + 1].push_back(fmt::format("{:.4f}", mean_loss(numerics.loss, row, rows)));
  }
  return "mean training loss, nats a token\n" + aligned(table, 1);
}

}  // namespace pipewright::live
