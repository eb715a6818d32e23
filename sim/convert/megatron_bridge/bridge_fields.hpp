// What AutoBridge sets in a model that it makes of one at Hugging Face, beside its sizes.
#pragma once

#include <string_view>
#include <vector>

#include "convert/megatron/class_fields.hpp"

namespace pipewright::megatron_bridge {

/// Returns the fields of a model by its name at Hugging Face, such as "Qwen/Qwen3-30B-A3B"; none
/// where its bridge leaves them as Megatron-Core has them, or is not known.
std::vector<megatron::ClassField> bridge_fields(std::string_view name);

}  // namespace pipewright::megatron_bridge
