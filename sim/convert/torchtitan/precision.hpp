// The number formats of a torchtitan job.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Returns `precision` as an experiment has it. `is_mixed`: FSDP or AMP computes in another format
/// than the weights have.
config::Value read_precision(job::Settings& settings, bool is_mixed = true);

/// Says in `experiment`, whose degrees and precision are there, whether FSDP gathers weights in
/// fp8.
void read_gathered(job::Settings& settings, config::Value& experiment);

/// Says in `experiment` what is kept of weights, gradients and moments where training.dtype narrows
/// them all.
void read_weights(job::Settings& settings, config::Value& experiment);

}  // namespace pipewright::torchtitan
