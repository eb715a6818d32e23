// Published or own measurements of training runs, each predicted.
#pragma once

#include <functional>

#include "machine/run_options.hpp"
#include "result/validation.hpp"
#include "simulate/run.hpp"

namespace pipewright {

/// A run as its file gives it.
struct MeasuredRun {
  std::string name, group, group_title;
  config::Value experiment;
  Outcome measured;
};

/// Reads a file in the form pipewright.measured/1. Throws InputError for what is wrong outside the
/// experiments.
std::vector<MeasuredRun> read_measured_runs(const config::Value& document);

/// Predicts every run, `jobs` at a time (0: as many as there are processors). An experiment that
/// cannot be simulated gets its reason. `done` is told how many are finished, from any thread but
/// never twice at once. The result does not depend on `jobs`.
Validation validate(const std::vector<MeasuredRun>& runs, const config::Catalogue& catalogue,
                    const RunOptions& options, int jobs,
                    const std::function<void(size_t done)>& done);

}  // namespace pipewright
