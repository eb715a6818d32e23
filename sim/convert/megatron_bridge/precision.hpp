// Megatron Bridge's recipes of mixed precision by name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/job/launch.hpp"

namespace pipewright::megatron_bridge {

/// Adds what the recipe `name` sets as arguments of Megatron-LM that stand at `path`. Returns false
/// for a name that is not known.
bool add_precision(const std::string& name, const std::string& path, const Where& where,
                   std::vector<job::Word>& words);

/// Tells whether the recipe `name` reduces gradients in fp32: those of fp16 do not.
bool reduces_in_fp32(std::string_view name);

/// Returns the name of the recipe that says these fields of a MixedPrecisionConfig, and whether
/// gradients are reduced in fp32; empty where there is none.
std::string name_of(const config::Value& fields, bool reduces_in_fp32);

/// Returns mixed_precision.py in Python, as far as it is known here: a function for each name.
std::string packaged_precision();

}  // namespace pipewright::megatron_bridge
