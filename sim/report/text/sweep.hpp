// What a sweep found: a table, the Pareto front, the best and why; CSV and JSON of all runs.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "result/sweep_run.hpp"

namespace pipewright {

/// The runs of a study and how to judge them.
struct SweepView {
  std::vector<std::string> paths;      ///< that points set
  std::vector<std::string> objective;  ///< the first one ranks
  /// Calls for every run in the order of the points.
  std::function<void(const std::function<void(const SweepRun&)>&)> for_each;
};

/// Table of at most `most_rows`, the best first; a star marks the Pareto front over the objectives
/// among those that fit. Then how many could not be, by reason, and the three best.
std::string sweep_summary(const SweepView& view, size_t most_rows);

/// The last of these alone: a line for each of the best, why; empty when none ran.
std::string sweep_advice(const SweepView& view);

/// A header and a line for every run, also those that could not be.
void write_sweep_csv(const SweepView& view, std::ostream& out);
/// pipewright.results/1 with `settings` in every result.
void write_sweep_json(const SweepView& view, std::ostream& out);
/// The page of report/html.hpp.
void write_sweep_html(const SweepView& view, std::ostream& out);

/// Of several runs with values of the same objectives, less is better: those that no other run
/// equals or beats in all of them and beats in one.
std::vector<bool> pareto_front(const std::vector<std::vector<double>>& values);

}  // namespace pipewright
