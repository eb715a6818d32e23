// Plans on fewer nodes than a cluster has: where nodes or cost are to be few, its size is open.
#pragma once

#include <functional>

#include "search/problem.hpp"

namespace pipewright::search {

/// Returns what planners propose for a problem, and the best of it.
using Ask = std::function<PlanResult(const Problem&)>;

/// What is known of the planners that are asked.
struct Askers {
  bool slices = false;  ///< one cuts sequences, whose kernels no bound knows
  bool spares = false;  ///< each also tries plans that leave nodes idle
};

/// Returns the plans on the smallest cluster on which one satisfies every limit; on the whole one
/// where none does. What planners that spare nodes find on some they find on more, so the numbers
/// that a bound leaves are halved until one is left. Of others more nodes are not always better
/// (the batch may not divide), nor are they under a limit of cost: every number is tried. Throws
/// InputError where the cluster does not count nodes of one kind.
PlanResult fewest_nodes(const Problem& problem, const Ask& ask, Askers askers);

/// Returns the plans that cost least over clusters of every number of nodes to 8, then of 12, 16,
/// 24, 32, ..., and of all. Once one is found, plans on more nodes are passed over that would take
/// too long to be cheaper. A cluster that does not count nodes of one kind is tried as a whole.
PlanResult least_cost(const Problem& problem, const Ask& ask, Askers askers);

/// Returns the quickest plans that satisfy every limit. Under a limit of nodes or cost, clusters of
/// fewer nodes are tried too, of the numbers that least_cost() tries, from the most that is allowed
/// down. Without one, and where the cluster does not count nodes of one kind, the whole is tried.
PlanResult quickest_within(const Problem& problem, const Ask& ask, Askers askers);

}  // namespace pipewright::search
