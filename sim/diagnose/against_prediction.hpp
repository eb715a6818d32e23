// What was measured beside what an experiment predicts.
#pragma once

#include "result/diagnosis.hpp"
#include "result/result.hpp"

namespace pipewright::diagnose {

/// Adds the prediction to the diagnosis: the iteration, its accounts, and the time of each kind of
/// kernel and of each layer on the device that computes longest.
void hold_against(const Metrics& predicted, Diagnosis& diagnosis);

}  // namespace pipewright::diagnose
