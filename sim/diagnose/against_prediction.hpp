// What was measured beside what an experiment predicts.
#pragma once

#include "result/diagnosis.hpp"
#include "result/result.hpp"

namespace pipewright::diagnose {

/// Adds the prediction to the diagnosis: the iteration, its accounts, and the time of each kind of
/// kernel and of each layer on the device that computes longest.
void hold_against(const Metrics& predicted, Diagnosis& diagnosis);

/// Returns where the job of the trace is not one of degrees `wanted`, a clause for each degree. A
/// degree that a trace does not show is 1 in it, and is not compared. A trace may lack replicas.
std::vector<std::string> other_degrees(const FoundParallelism& found,
                                       const FoundParallelism& wanted);

}  // namespace pipewright::diagnose
