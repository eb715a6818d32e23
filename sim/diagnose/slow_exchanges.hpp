// Exchanges within passes that take longer in one tensor, context or expert group than in others: a
// link between its ranks is slow.
#pragma once

#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// Groups whose exchanges no compute hides for longer than those of the same stage elsewhere. Where
/// there are none, or where these are slow themselves, those of other stages count. Groups that are
/// slow are told one by one and all together. The median of these is the cure, and what
/// others compute longer: that may hide as much, or be their wait for hosts.
std::vector<Candidate> slow_exchanges(const Evidence& evidence);

}  // namespace pipewright::diagnose
