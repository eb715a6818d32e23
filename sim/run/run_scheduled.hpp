// An experiment with a schedule, run.
#pragma once

#include "machine/run_options.hpp"
#include "result/run_result.hpp"
#include "run/result_of.hpp"

namespace pipewright {

/// Prepares, lowers and simulates `experiment`, which must have a schedule. Throws InputError for
/// what is wrong in it and Failure for a deadlock. Cost::setup_s is
/// without reading the experiment; Cost::peak_rss_bytes is left empty.
Run run_scheduled(const Experiment& experiment, const config::Catalogue& catalogue,
                  const RunOptions& options, Detail detail);

}  // namespace pipewright
