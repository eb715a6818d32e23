// What goes along from one plan to another as far as Megatron-LM lets it stand beside the new one.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// Returns what goes along, arguments or keys of a document, without those at which validate_args
/// (megatron/training/arguments.py) and TransformerConfig would stop beside the degrees, the
/// sharding, the precision and the batch of the experiment.
config::Value fitting(const config::Value& along, const Experiment& experiment);

}  // namespace pipewright::megatron
