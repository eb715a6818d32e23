// Pairs of a forward and a backward for schedules that have none.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// Tells whether some action of `schedule` runs beside the next of its rank.
bool has_pairs(const Schedule& schedule);

/// Pairs forwards with backwards of other micro-batches. A backward that stands alone between two
/// forwards of its iteration runs beside the second of them: every rank begins one forward earlier
/// than before and holds one more activation. Throws Misfit at `where` if no rank runs forwards and
/// backwards in turn, if the schedule is not made of flushes with one server a rank, or if the new
/// order cannot run.
void pair_passes(Schedule& schedule, const config::Value& where);

}  // namespace pipewright::schedule
