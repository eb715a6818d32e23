// What a sweep found, for a terminal: a table, the Pareto front, the best and why.
#pragma once

#include <string>

#include "report/ranking/sweep.hpp"

namespace pipewright {

/// The text has a table of at most `most_rows`, the best first; a star marks the Pareto front over
/// the objectives among those that fit. Then it says how many could not be, by reason, names the
/// three best, and says which keys change nothing.
std::string sweep_summary(const SweepView& view, size_t most_rows);

/// The advice is the end of sweep_summary(): a line for each of the best, and why. It is empty when
/// none ran.
std::string sweep_advice(const SweepView& view, const SweepRanking& ranking);

}  // namespace pipewright
