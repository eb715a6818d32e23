// What limits and goals look at in a proposal.
#pragma once

#include <string_view>

#include "search/problem.hpp"

namespace pipewright::search {

/// Returns the value of a quantity that can be limited, in base units; infinity where it is not
/// known.
double value_of(const Proposal& proposal, std::string_view quantity);

/// Returns the bytes that a device may hold as far as limits say; infinity where none says it.
double most_memory(const Problem& problem);

/// Tells whether it needs more memory than there is or than it may take.
bool lacks_memory(const Problem& problem, const Proposal& proposal);

}  // namespace pipewright::search
