// Runs of a sweep by what they are judged by, for tests.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "report/ranking/sweep.hpp"
#include "result/objectives.hpp"

namespace pipewright::test {

/// A run of 1f1b that fits, with these two objectives alone.
inline SweepRun sweep_run(double tokens_per_s, double energy_j) {
  const auto& names = objective_names();
  SweepRun run{.schedule = "1f1b", .feasible = true, .csv = "1f1b", .json = "{}"};
  run.objectives.resize(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] == "tokens_per_s") run.objectives[i] = tokens_per_s;
    if (names[i] == "energy_j") run.objectives[i] = energy_j;
  }
  return run;
}

/// Visits `runs`, which must outlive it.
inline auto over(const std::vector<SweepRun>& runs) {
  return [&runs](const std::function<void(const SweepRun&)>& visit) {
    std::for_each(runs.begin(), runs.end(), visit);
  };
}

}  // namespace pipewright::test
