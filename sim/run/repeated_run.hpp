// A run of a period in place of all micro-batches that repeat it.
//
// Where the orders of all ranks repeat themselves (schedule/repeats.hpp) most of their repeats are
// left out. The shorter schedule is run, and searched for two times between which it repeats itself
// (engine/repetition.hpp). The run of the whole schedule is then the same with that period put in
// again and again: up to the second time both have done the same, and what is left to do differs by
// the micro-batches of the period alone. Its spans are not made. Repetition says how often the
// period happens, and what is measured counts it so.
//
// Replicas that do nothing together meanwhile each have a period of their own (engine/paces.hpp).
//
// What is measured over more than one op must repeat itself too: the critical path, and the longest
// chain of data dependencies, which is a run without lanes.
//
// Nothing is left out of schedules that are asynchronous, of several iterations, with evictions or
// with two servers a rank; of runs with variation or with documents of unequal lengths; or where no
// period is found.
#pragma once

#include <optional>

#include "run/execute.hpp"

namespace pipewright {

/// Runs `prepared` with one period of its micro-batches, if they are many and it can be shown that
/// nothing changes by that.
std::optional<Executed> execute_repeated(const Prepared& prepared, const FreeCosts& free,
                                         PeriodSearch search);

}  // namespace pipewright
