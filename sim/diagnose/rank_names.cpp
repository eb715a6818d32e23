#include "diagnose/rank_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/number_ranges.hpp"

namespace pipewright::diagnose {
namespace {

/// By the data ranks that are named, the stages in which they are.
std::map<std::vector<int>, std::vector<int>> by_data_ranks(RankPlaces places) {
  std::ranges::sort(places);
  std::map<int, std::vector<int>> of_stage;
  for (const auto& [data, stage] : places) of_stage[stage].push_back(data);
  std::map<std::vector<int>, std::vector<int>> stages;
  for (const auto& [stage, data] : of_stage) stages[data].push_back(stage);
  return stages;
}

/// So many others are like one of these ranks, and the trace does not have them.
int others_like(const MeasuredJob& job, const RankPlaces& places) {
  int others = 0;
  for (const auto& [data, stage] : places)
    others += std::max(job.facts_of(data, stage).replicas - 1, 0);
  return others;
}

}  // namespace

std::string counted_name(std::string_view what, const std::vector<int>& numbers) {
  return fmt::format("{}{} {}", what, numbers.size() == 1 ? "" : "s",
                     number_ranges(numbers, " and "));
}

std::string ranks_name(const MeasuredJob& job, RankPlaces places) {
  const int others = others_like(job, places);
  const char* them = places.size() == 1 ? "it" : "them";
  std::string text;
  for (const auto& [data, stages] : by_data_ranks(std::move(places)))
    text += fmt::format("{}{}, {}", text.empty() ? "" : "; ", counted_name("data rank", data),
                        counted_name("stage", stages));
  return others > 0 ? fmt::format("{}, and {} like {}", text, others, them) : text;
}

std::vector<int> devices_of(const MeasuredJob& job, const RankPlaces& places, bool of_groups) {
  std::vector<int> devices;
  for (const auto& [data, stage] : places) {
    const RankFacts facts = job.facts_of(data, stage);
    if (of_groups && !facts.group.empty())
      devices.insert(devices.end(), facts.group.begin(), facts.group.end());
    else if (facts.device >= 0)
      devices.push_back(facts.device);
  }
  std::ranges::sort(devices);
  return devices;
}

}  // namespace pipewright::diagnose
