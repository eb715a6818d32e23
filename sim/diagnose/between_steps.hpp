// What hosts do between the last operation of a step and the first of the next.
#pragma once

#include <vector>

#include "diagnose/measured_job.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// Whom the cause of every step names.
inline constexpr const char* between_steps_name = "between steps";

/// The usual time between steps, in which all devices wait for data and logs, and the few much
/// longer times, in which checkpoints are written. They are in no step: `measured_s` is without
/// them, so they have no share of the excess and nothing of it is attributed to them. Only steps
/// whose numbers follow each other are looked at. Causes that take less than 0.2 % of
/// `simulated_s`, the mean step, are none.
std::vector<Cause> between_steps(const MeasuredJob& job, double simulated_s);

}  // namespace pipewright::diagnose
