// A prepared experiment becomes a timeline.
#pragma once

#include "run/executed.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Runs `prepared` in virtual time. Unfolds what cannot stand for others where links are shared.
/// Throws Failure for a deadlock.
Executed execute(const Prepared& prepared);

}  // namespace pipewright
