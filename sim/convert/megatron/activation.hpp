// The activation of an MLP as frameworks over Megatron-Core say it: a field of TransformerConfig
// that holds a function of Python.
#pragma once

#include <optional>
#include <string_view>

#include "convert/job/model_constants.hpp"
#include "convert/job/settings.hpp"

namespace pipewright::megatron {

/// Returns what Megatron Bridge calls the activation of an experiment's model, such as "silu" (its
/// utils/activation_map.py). One that it has no name for is what its kind of MLP usually has.
std::string_view activation_of(const Experiment& experiment);

/// Tells whether it has a name for that activation.
bool says_activation(const ModelConstant& constant);

/// Returns the function that Megatron Bridge calls `name`, as NeMo 2 writes it:
/// {_target_: torch.nn.functional.silu, _call_: false}.
config::Value activation_function(std::string_view name);

/// Returns the activation at `path`, a name or a function, as Hugging Face calls it; nothing where
/// it is not said. One that nobody knows is noted.
std::optional<config::Value> read_activation(job::Settings& settings, const std::string& path);

/// Sets the activation, where there is one, among the constants of what was imported. One that MLPs
/// of its kind usually have is none of them.
void set_activation(const std::optional<config::Value>& activation, job::Import& import);

}  // namespace pipewright::megatron
