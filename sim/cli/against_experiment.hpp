// A diagnosis beside the experiment that predicts the job.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "config/value.hpp"
#include "result/anchor.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::cli {

/// Runs `experiment` and adds what it predicts to the diagnosis. Returns where the job of the trace
/// is another one, as other_degrees() does.
std::vector<std::string> add_prediction(const config::Value& experiment,
                                        const Environment& environment, Diagnosis& diagnosis);

/// Fits an anchor to the median step of the trace, a measured run of `experiment`. Throws
/// InputError for what fit_anchor() refuses.
AnchorFit anchor_of(const config::Value& experiment, const Environment& environment,
                    const Diagnosis& diagnosis);

}  // namespace pipewright::cli
