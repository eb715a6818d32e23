// An experiment as a launch script of Megatron-LM.
#pragma once

#include <string>

#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// Returns the script with the arguments of Megatron-LM of today, and those that go `along`
/// (along.hpp). What they cannot say is left to the caller to find.
std::string write_script(const Experiment& experiment, const config::Value& along = {});

/// Returns the same arguments as the MODEL_ARGS of a file of YAML, which Megatron-LM's functional
/// tests have (tests/functional_tests/shell_test_utils/_run_training.sh).
std::string write_model_args(const Experiment& experiment, const config::Value& along = {});

}  // namespace pipewright::megatron
