// A run of which only the numbers that a search looks at are wanted.
#pragma once

#include "machine/run_options.hpp"
#include "simulate/run.hpp"

namespace pipewright {

/// Does what run_experiment() does, but finds no busiest links and, unless options.if_free wants
/// it, no communication and no bounds: together they take longer than the simulation.
RunResult run_quickly(const config::Value& experiment, const config::Catalogue& catalogue,
                      const RunOptions& options);

/// Returns the experiment on median chips: what is not judged by draws need not wait for them.
config::Value without_variation(config::Value experiment);

}  // namespace pipewright
