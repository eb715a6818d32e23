// Messages that wait for each other.
//
// Every op is let run as soon as what it waits for has run, in no time at all. A receive runs once
// any message of its channel was sent, though others may have waited for that message too. So what
// is left over never runs, however long ops and messages take.
//
// Wrong for: channels of several messages of which a later one is the one that never comes. The
// engine finds those.
#pragma once

#include "interop/goal.hpp"

namespace pipewright::goal {

/// Throws InputError, at a line of the circle, for ops of several ranks that wait for each other's
/// messages or collectives. `channels` are those of `goal`, whose ranks have no circle by
/// themselves.
void check_messages(const Goal& goal, const Channels& channels);

}  // namespace pipewright::goal
