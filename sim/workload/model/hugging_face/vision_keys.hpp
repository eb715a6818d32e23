// The towers in front of models of images and text.
#pragma once

#include "workload/model/hugging_face/keys.hpp"

namespace pipewright::hugging_face {

/// Adds the tower that stands in front, where it is one that is known and complete, as `vision` of
/// a transformer map. `given`: the configuration as it is; `value`: its text model and what stands
/// around it.
void add_vision(const Value& given, const Value& value, Value& transformer);

}  // namespace pipewright::hugging_face
