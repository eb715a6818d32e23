// Rates that follow from the time of an iteration: throughput, utilisation, energy, money, the
// length of a whole training run.
#pragma once

#include "result/run_result.hpp"
#include "run/prepared.hpp"

namespace pipewright {

/// Fills in the rates of `result`, whose metrics are there. Needs Prepared::work.
///   energy = sum over devices of idle x iteration + (limit - idle) x computing
/// with each device's power limit and idle power and the time that it computes; the limit alone
/// where the idle power is not known. cost = sum of the devices' prices of an hour x iteration.
/// mfu and hfu are over the sum of the devices' peaks. With failures, energy, cost and time to
/// train are those over the share of the time that is not lost (failures.hpp).
void add_rates(const Prepared& prepared, RunResult& result);

}  // namespace pipewright
