// Which steps of a trace are whole, and whether all of it is of one job.
#pragma once

#include <string>

#include "diagnose/measured_job.hpp"

namespace pipewright::diagnose {

/// A rank passes a micro-batch once in each direction. Throws InputError at `file` where one does
/// so twice: these are two jobs. The operations are in order.
void refuse_doubled_passes(const MeasuredJob& job, const std::string& file);

/// Numbers the steps. Those that do not have the passes that most steps have are left out with a
/// note: the profiler cut them off. Throws InputError where no pass is left, or where ranks have no
/// step in common.
void drop_unusual_steps(MeasuredJob& job, const std::string& file);

}  // namespace pipewright::diagnose
