// Variables of the environment in which a job runs: those that it sets itself, and those that
// Megatron-LM asserts.
#pragma once

#include <map>

#include "convert/job/launch.hpp"
#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// What goes along has the variables at this key.
inline constexpr std::string_view variables_key = "environment";

/// Tells whether a value is known, or a variable or an argument that the script takes from outside.
bool is_portable(const job::Word& value);

/// Returns the variables that a job sets for the libraries below it and that a script can set
/// again; null where there are none. The launcher's and secrets are not among them.
config::Value variables_along(const std::map<std::string, job::Word>& variables);

/// Returns the value of --attention-backend by which Megatron-Core sets those variables that turn
/// kernels of attention off in a job; empty where none does. They stop a job of today that does not
/// say it (_set_attention_backend of its language_module.py).
std::string attention_backend_of(const std::map<std::string, job::Word>& variables);

/// Returns the variables of a job: those that go along, and over them those without which
/// Megatron-LM stops. One that must not be set is null.
config::Value variables_of(const Experiment& e, const config::Value& along);

/// Returns the lines of Bash that set them.
std::string variable_lines(const config::Value& variables);

}  // namespace pipewright::megatron
