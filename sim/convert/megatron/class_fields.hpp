// What the classes of models of Megatron Bridge and NeMo 2 set otherwise than Megatron-Core does.
#pragma once

#include <string_view>
#include <vector>

namespace pipewright::megatron {

struct ClassField {
  std::string_view field, value;
};

/// Returns the fields that decide the time of a step and that a class such as
/// DeepSeekV3ModelProvider or MixtralConfig8x7B sets.
std::vector<ClassField> class_fields(std::string_view name);

}  // namespace pipewright::megatron
