#include "search/proposal_values.hpp"

#include <algorithm>
#include <limits>

namespace pipewright::search {

double value_of(const Proposal& proposal, std::string_view quantity) {
  constexpr double unknown = std::numeric_limits<double>::infinity();
  if (quantity == "iteration_time") return proposal.iteration_time_s.value_or(unknown);
  if (quantity == "time_to_train") return proposal.time_to_train_s.value_or(unknown);
  if (quantity == "memory") return proposal.peak_memory_bytes;
  if (quantity == "nodes") return proposal.nodes;
  return proposal.cost_usd.value_or(unknown);
}

double most_memory(const Problem& problem) {
  double most = std::numeric_limits<double>::infinity();
  for (const Limit& limit : problem.limits)
    if (limit.quantity == "memory") most = std::min(most, limit.most);
  return most;
}

bool lacks_memory(const Problem& problem, const Proposal& proposal) {
  return !proposal.feasible || proposal.peak_memory_bytes > most_memory(problem);
}

}  // namespace pipewright::search
