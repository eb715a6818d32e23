// One experiment, run: the facade that commands, sweeps and planners use.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "machine/run_options.hpp"
#include "result/run_result.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}
/// Reads, lowers and simulates `experiment` (a map as in an experiment file, after --set).
/// Throws InputError for what is wrong in it and Failure for a deadlock.
Run run_experiment(const config::Value& experiment, const config::Catalogue& catalogue,
                   const RunOptions& options);

/// Returns what is wrong in `experiment`, one line each, as what() of an InputError; empty when it
/// can run.
std::vector<std::string> problems_of(const config::Value& experiment,
                                     const config::Catalogue& catalogue, const RunOptions& options);

/// Runs the same experiment under several schedules, `options.jobs` of them at a time, and tells
/// `progress` after each how many have ended, from one thread at a time. A schedule that does not
/// fit is a row with its reason; throws that reason when none fits, and any other InputError.
std::vector<Row> compare_schedules(
    const config::Value& experiment, const std::vector<config::Value>& schedules,
    const config::Catalogue& catalogue, const RunOptions& options,
    const std::function<void(size_t ended)>& progress = [](size_t) {});

}  // namespace pipewright
