// What Megatron-LM asserts of a job before it starts: validate_args
// (megatron/training/arguments.py) and the __post_init__ of TransformerConfig, OptimizerConfig and
// ModelParallelConfig, August 2026.
#pragma once

#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// Throws InputError for an experiment whose job would stop at an assertion: `by_arguments`, at one
/// of validate_args too, which frameworks that make Megatron-Core's configurations themselves do
/// not call.
void check_demands(const Experiment& e, bool by_arguments);

/// Tells whether all devices are NVIDIA's since Blackwell, whose compute capability is 10 or more.
bool is_since_blackwell(const Experiment& e);

/// Returns the tensor ranks that an expert is cut over. Those that are not spread are cut as dense
/// layers are.
int expert_tensor_of(const Experiment& e);

}  // namespace pipewright::megatron
