// What a sweep found: a table, the Pareto front, the best and why.
#pragma once

#include <string>

#include "report/ranking/sweep.hpp"
#include "report/text/report.hpp"

namespace pipewright {

/// The report has a table of at most `most_rows`, the best first; a star marks the Pareto front
/// over the objectives among those that fit. Then it says how many could not be, by reason, names
/// the three best, and says which keys change nothing.
Report sweep_report(const SweepView& view, size_t most_rows);

/// The advice is the end of sweep_report(): a line for each of the best, and why. It is empty when
/// none ran.
std::string sweep_advice(const SweepView& view, const SweepRanking& ranking);

}  // namespace pipewright
