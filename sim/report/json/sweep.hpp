// All runs of a sweep as JSON, schema pipewright.results/1.
#pragma once

#include <ostream>

#include "report/ranking/sweep.hpp"

namespace pipewright {

/// This writes every run in the order of the points, each with its `settings`. A run that could not
/// be has its `reason`.
void write_sweep_json(const SweepView& view, std::ostream& out);

}  // namespace pipewright
