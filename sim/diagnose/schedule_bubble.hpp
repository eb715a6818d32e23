// What the schedule itself makes ranks wait, however alike they are.
#pragma once

#include <optional>
#include <string>

#include "diagnose/measured_job.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// Runs a step with the ideal lengths of its operations, and without the bubble that is left then:
/// the step is as long as its busiest rank works and communicates. It is in the ideal too, and so
/// has no share of what the job takes longer. Nothing without a pipeline and below 0.2 % of a step.
std::optional<Cause> schedule_bubble(const MeasuredJob& job, size_t step,
                                     const std::string& schedule);

}  // namespace pipewright::diagnose
