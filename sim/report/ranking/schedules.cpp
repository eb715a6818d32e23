#include "report/ranking/schedules.hpp"

#include <algorithm>
#include <utility>

#include "result/typical_time.hpp"

namespace pipewright {

std::vector<RankedSchedule> ranked(std::span<const Row> rows) {
  std::vector<RankedSchedule> candidates;
  for (const Row& row : rows) {
    if (!row.run) continue;
    const RunResult& result = row.run->result;
    candidates.push_back({&result, typical_time(result), totals(result)});
  }
  std::stable_sort(
      candidates.begin(), candidates.end(), [](const RankedSchedule& a, const RankedSchedule& b) {
        return std::pair(a.time, a.most.peak_memory) < std::pair(b.time, b.most.peak_memory);
      });
  return candidates;
}

const RankedSchedule* to_take(const std::vector<RankedSchedule>& ranked) {
  auto found = std::ranges::find_if(ranked, &RankedSchedule::safe);
  if (found == ranked.end()) found = std::ranges::find_if(ranked, &RankedSchedule::can_be);
  return found == ranked.end() ? nullptr : &*found;
}

}  // namespace pipewright
