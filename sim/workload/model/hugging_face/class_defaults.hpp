// What classes of Hugging Face's library take for keys that a configuration leaves out.
#pragma once

#include <span>
#include <string_view>

#include "config/value.hpp"

namespace pipewright::hugging_face {

/// Maps of a class's keys, in YAML. Data: class_defaults.yaml, whose head says which keys are
/// there.
struct ClassDefaults {
  std::string_view type;       ///< the model_type of its family
  const char* left_out;        ///< in every file
  const char* in_text_config;  ///< where the text model of several is under text_config
};

/// Returns the families whose files may leave keys out.
std::span<const ClassDefaults> classes_with_defaults();

/// Adds to `config`, a configuration of the family `type`, what its class takes for keys that are
/// not there. A key that is null is there. `nested`: the text model of several.
void add_class_defaults(std::string_view type, bool nested, config::Value& config);

}  // namespace pipewright::hugging_face
