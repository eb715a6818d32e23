// Hugging Face configurations (config.json) as models.
#pragma once

#include <string>

#include "config/value.hpp"

namespace pipewright {

/// Tells whether `value` looks like a Hugging Face config.json.
bool is_hugging_face(const config::Value& value);

/// Returns what a Hugging Face configuration says, as a model map. Throws InputError for an
/// architecture that is not known.
config::Value from_hugging_face(const config::Value& value);

/// Names what of a configuration is not in the model: a tower for images in front of it, modules
/// that predict further tokens. Empty: nothing.
std::string left_out_of(const config::Value& value);

}  // namespace pipewright
