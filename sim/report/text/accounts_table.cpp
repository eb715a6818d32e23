#include "report/text/accounts_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text/accounts_bar.hpp"
#include "report/text/numbers.hpp"

namespace pipewright {

Report accounts_table(const Metrics& metrics, const char* idle) {
  if (metrics.breakdown.computing() == Time{} || metrics.ranks.empty()) return {};
  const auto worst = std::ranges::min_element(
      metrics.ranks, {}, [](const RankResult& rank) { return rank.breakdown.computing(); });
  const bool knows_gains = metrics.detail.if_free.has_value();
  TableRows rows = {{"where the time goes", "mean", "share", fmt::format("rank {}", worst->rank)}};
  if (knows_gains) rows[0].push_back("gained if free");
  for (const AccountPlace& place : places_of(metrics, worst->breakdown)) {
    const std::string name = place.letter == '.' ? idle : place.name;
    const double share = in_seconds(place.mean) / in_seconds(metrics.iteration);
    rows.push_back({fmt::format("{} {}", place.letter, name), human(place.mean), percent(share),
                    human(place.beside)});
    if (knows_gains) rows.back().push_back(place.gain ? human(*place.gain) : "");
  }
  return Report().table(std::move(rows), 2);
}

}  // namespace pipewright
