// Hugging Face configurations (config.json) as models.
#pragma once

#include <optional>

#include "config/value.hpp"

namespace pipewright {

/// Tells whether `value` looks like a Hugging Face config.json.
bool is_hugging_face(const config::Value& value);

/// Returns what a Hugging Face configuration says, as a model map. Throws InputError for an
/// architecture that is not known.
config::Value from_hugging_face(const config::Value& value);

/// Returns the tokens of the longest sequence that a configuration says; nothing where it does not.
std::optional<int64_t> longest_sequence(const config::Value& value);

}  // namespace pipewright
