// What each cause costs, by runs without it.
//
// Every candidate is cured by itself: that is `recovered_s`. Then the one that recovers most is
// taken, of those within 15 % of it the one that changes fewest ops, since a slow link also slows
// the ranks at its ends; it stays cured, and the next is taken of what is left. A candidate of
// which four fifths are gone by then was another name for the same thing and is left out. Where
// there are peers, cures beyond them are taken last.
//
// Those that were taken are told by what they recover (cause_order.hpp). What each recovers besides
// those before it in the list is `attributed_s`, and adds up.
//
// Causes may hide each other. What recovers nothing by itself is tried again whenever another cause
// is cured, and then has `attributed_s` alone. Of slow ranks, or stages, that recover more together
// than one by one, those that it takes are one cause.
#pragma once

#include <vector>

#include "diagnose/candidates.hpp"

namespace pipewright::diagnose {

/// Returns the causes, the largest first. Those that recover less than 0.2 % of a step are none.
std::vector<Cause> attribute(const Evidence& evidence, std::vector<Candidate> candidates);

}  // namespace pipewright::diagnose
