// A run of which only the numbers that a search looks at are wanted.
#pragma once

#include "machine/run_options.hpp"
#include "simulate/run.hpp"

namespace pipewright {

/// Does what run_experiment() does, but without the busiest links and the uncertainty of the time,
/// which take twice as long as the simulation.
RunResult run_quickly(const config::Value& experiment, const config::Catalogue& catalogue,
                      const RunOptions& options);

}  // namespace pipewright
