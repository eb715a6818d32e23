#include "report/text/accounts_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "program/names.hpp"
#include "report/text/numbers.hpp"
#include "report/text/table.hpp"

namespace pipewright {
namespace {

using Rows = std::vector<std::vector<std::string>>;

/// Adds rows to the table of one run.
class AccountRows {
 public:
  AccountRows(const Metrics& metrics, const RankResult& worst)
      : metrics_(metrics), worst_(worst.breakdown) {
    Rows::value_type header = {"where the time goes", "mean", "share",
                               fmt::format("rank {}", worst.rank)};
    if (metrics.detail.if_free) header.push_back("gained if free");
    rows.push_back(header);
  }

  void add(const std::string& name, Time mean, Time worst, const Time* gain = nullptr) {
    if (mean == Time{} && worst == Time{}) return;
    const double share = in_seconds(mean) / in_seconds(metrics_.iteration);
    rows.push_back({name, human(mean), percent(share), human(worst)});
    if (metrics_.detail.if_free) rows.back().push_back(gain ? human(*gain) : "");
  }

  void add_compute(size_t kind) {
    std::string name = name_of(static_cast<ComputeKind>(kind));
    std::replace(name.begin(), name.end(), '_', ' ');
    add("compute: " + name, metrics_.breakdown.compute[kind], worst_.compute[kind]);
  }

  void add_exposed(size_t kind) {
    add(fmt::format("exposed: {}", to_string(static_cast<Traffic>(kind))),
        metrics_.breakdown.exposed[kind], worst_.exposed[kind],
        gained([kind](const IfFree& gain) { return &gain.traffic[kind]; }));
  }

  void add_waits() {
    add("host", metrics_.breakdown.host, worst_.host,
        gained([](const IfFree& gain) { return &gain.host; }));
    add("bubble", metrics_.breakdown.bubble, worst_.bubble,
        gained([](const IfFree& gain) { return &gain.bubble; }));
  }

  Rows rows;

 private:
  template <typename Which>
  const Time* gained(Which which) const {
    return metrics_.detail.if_free ? which(*metrics_.detail.if_free) : nullptr;
  }

  const Metrics& metrics_;
  const Breakdown& worst_;
};

}  // namespace

std::string accounts_table(const Metrics& metrics) {
  if (metrics.breakdown.computing() == Time{} || metrics.ranks.empty()) return {};
  const auto worst = std::ranges::min_element(
      metrics.ranks, {}, [](const RankResult& rank) { return rank.breakdown.computing(); });
  AccountRows table(metrics, *worst);
  for (size_t kind = 0; kind < compute_kinds; ++kind) table.add_compute(kind);
  for (size_t kind = 0; kind < traffic_kinds; ++kind) table.add_exposed(kind);
  table.add_waits();
  return aligned(table.rows, 2);
}

}  // namespace pipewright
