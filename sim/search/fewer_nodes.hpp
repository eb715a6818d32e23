// Plans on fewer nodes than a cluster has: where nodes or cost are to be few, its size is open.
#pragma once

#include <functional>

#include "search/problem.hpp"

namespace pipewright::search {

/// Returns what planners propose for a problem, and the best of it.
using Ask = std::function<PlanResult(const Problem&)>;

/// Returns the plans on the smallest cluster on which one satisfies every limit; on the whole one
/// where none does. More nodes are not always better (the batch may not divide), so every number is
/// tried but those that a bound rules out. `slices`: a planner cuts sequences, whose kernels no
/// bound knows. Throws InputError where the cluster does not count nodes of one kind.
PlanResult fewest_nodes(const Problem& problem, const Ask& ask, bool slices);

/// Returns the plans that cost least over clusters of every number of nodes to 8, then of 12, 16,
/// 24, 32, ..., and of all. Once one is found, plans on more nodes are passed over that would take
/// too long to be cheaper. A cluster that does not count nodes of one kind is tried as a whole.
PlanResult least_cost(const Problem& problem, const Ask& ask, bool slices);

}  // namespace pipewright::search
