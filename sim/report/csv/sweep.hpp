// All runs of a sweep as CSV.
#pragma once

#include <ostream>

#include "report/ranking/sweep.hpp"

namespace pipewright {

/// This writes a header and a line for every run, also for those that could not be: what the study
/// set, then the columns of csv/result.hpp.
void write_sweep_csv(const SweepView& view, std::ostream& out);

}  // namespace pipewright
