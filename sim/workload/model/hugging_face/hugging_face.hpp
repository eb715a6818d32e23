// Hugging Face configurations (config.json) as models.
#pragma once

#include "config/value.hpp"

namespace pipewright {

/// Tells whether `value` looks like a Hugging Face config.json.
bool is_hugging_face(const config::Value& value);

/// Returns what a Hugging Face configuration says, as a model map. Throws InputError for an
/// architecture that is not known.
config::Value from_hugging_face(const config::Value& value);

}  // namespace pipewright
