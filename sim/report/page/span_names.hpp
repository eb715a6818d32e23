// Names of spans as patterns: of a million spans few differ in more than their micro-batch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pipewright {

/// Returns `name` with every micro-batch as its distance to `micro_batch` in braces: "0F12" of 12
/// is "0F{0}", and "1F12+0B9" is "1F{0}+0B{-3}". A micro-batch is the number after a stage and a
/// letter.
std::string name_pattern(std::string_view name, int32_t micro_batch);

}  // namespace pipewright
