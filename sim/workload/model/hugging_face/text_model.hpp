// The text model of a configuration of several kinds of input, and what it leaves out.
#pragma once

#include <string>

#include "workload/model/hugging_face/keys.hpp"

namespace pipewright::hugging_face {

/// The text model, with what stands around it where it is silent.
Value text_of(const Value& value);
/// Tells whether the text model has a map of its own.
bool is_nested(const Value& value);

/// Names what of a configuration is not in the model: towers for images and sound in front of it,
/// modules that predict further tokens. Empty: nothing. `has_tower`: that for images is.
std::string left_out_of(const Value& value, bool has_tower);

}  // namespace pipewright::hugging_face
