// What to change where the devices of a run have too little memory.
#pragma once

#include <vector>

#include "machine/run_options.hpp"
#include "result/remedy.hpp"
#include "result/run_result.hpp"
#include "simulate/run.hpp"

namespace pipewright {

/// Returns the three quickest ways found to make `experiment`, whose run is `result`, fit.
/// Recomputation, ZeRO stages, offloading, smaller micro-batches, more tensor or pipeline ranks and
/// more devices of a node that share experts are each simulated; where none of them will do, more
/// devices than a node has that share experts, then two changes at once. Those under which ranks
/// that are alike have to be unfolded to more than a million ops are left out. Returns nothing for
/// a run that fits, for one that is no model's, and for one of more than 100,000 events.
std::vector<Remedy> remedies_for(const config::Value& experiment, const RunResult& result,
                                 const config::Catalogue& catalogue, const RunOptions& options);

/// Adds the remedies to the result of a run that does not fit, or says why it has none.
void add_remedies(const config::Value& experiment, RunResult& result,
                  const config::Catalogue& catalogue, const RunOptions& options);

}  // namespace pipewright
