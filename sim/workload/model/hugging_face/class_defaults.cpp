#include "workload/model/hugging_face/class_defaults.hpp"

#include <algorithm>

namespace pipewright::hugging_face {
namespace {

void add_missing(const char* defaults, config::Value& value) {
  for (const config::Entry& entry : config::parse(defaults, "built-in defaults").entries)
    if (!value.find(entry.key)) {
      value.set(entry.key, entry.value);
      value.find(entry.key)->mark = value.mark;
    }
}

}  // namespace

void add_class_defaults(std::string_view type, bool nested, config::Value& config) {
  const std::span<const ClassDefaults> classes = classes_with_defaults();
  const auto found = std::ranges::find(classes, type, &ClassDefaults::type);
  if (found == classes.end()) return;
  add_missing(found->left_out, config);
  if (nested) add_missing(found->in_text_config, config);
}

}  // namespace pipewright::hugging_face
