#include "report/text/shared_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text.hpp"
#include "result/best_probability.hpp"

namespace pipewright {

std::string shared_rank_text(const TimedName& chosen, std::span<const TimedName> others,
                             double deviation) {
  constexpr size_t most_named = 3;
  std::vector<std::optional<double>> times = {chosen.time_s};
  for (const TimedName& other : others) times.push_back(other.time_s);
  const std::vector<int> ranks = shared_ranks(times, deviation);
  std::vector<std::string_view> alike;
  for (size_t i = 0; i < others.size(); ++i)
    if (ranks[i + 1] == ranks[0]) alike.push_back(others[i].name);
  if (alike.empty()) return {};
  const size_t unnamed = alike.size() - std::min(alike.size(), most_named);
  alike.resize(alike.size() - unnamed);
  const std::string more = unnamed > 0 ? fmt::format(" and {} more", unnamed) : "";
  const bool lists = std::ranges::any_of(
      alike, [](std::string_view name) { return name.find(',') != std::string_view::npos; });
  return fmt::format(
      "Predictions are not sure enough to tell it from {}{}: measure {} and {} first.",
      join(alike, lists ? "; " : ", "), more, chosen.name, alike.front());
}

}  // namespace pipewright
