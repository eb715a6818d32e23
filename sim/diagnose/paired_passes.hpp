// Pairs of a forward and a backward that a trace draws one after the other.
#pragma once

#include <vector>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

/// Marks the passes that run as one overlapped pair by the schedule that the trace follows: both
/// begin when what each of them needs is there, and their messages leave when both have ended.
/// `pairs`: by rank of the pipeline and pass, whether it is one with the next. A trace that shows
/// pairs itself is left as it is.
void mark_pairs(MeasuredJob& job, const std::vector<std::vector<bool>>& pairs);

}  // namespace pipewright::diagnose
