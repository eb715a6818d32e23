// Runs a program in virtual time.
#pragma once

#include <span>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// Runs `program`, op o taking `duration[o]`. Throws Failure with the ranks and ops of the wait-for
/// cycle when the program cannot end.
Timeline simulate(const Program& program, std::span<const Time> duration);

/// The discrete-event run, for any lane policy: ends are taken from a heap in order of time, then
/// of op id.
Timeline run_events(const Program& program, std::span<const Time> duration);

/// The same result where every lane is in order and no op's length depends on another: each op
/// starts at the latest end of what precedes it, so ops may be visited in any topological order and
/// no heap is needed.
Timeline run_longest_path(const Program& program, std::span<const Time> duration);

/// The wait-for cycle among the ops that have not ended, in words: "rank 0 waits at 0F1 for ...".
std::string describe_deadlock(const Program& program, const std::vector<bool>& ended);

}  // namespace pipewright
