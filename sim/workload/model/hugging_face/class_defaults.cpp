#include "workload/model/hugging_face/class_defaults.hpp"

#include <algorithm>

namespace pipewright::hugging_face {
namespace {

/// Tells whether a class's number of heads for keys and values goes with the file's heads. One that
/// does not is of a larger model, and each head has keys of its own then.
bool shares_heads(const config::Entry& entry, const config::Value& config) {
  constexpr int64_t most = 1 << 20;
  const config::Value* heads = config.find("num_attention_heads");
  if (entry.key != "num_key_value_heads" || !heads || !heads->is_scalar()) return true;
  return config::as_int(*heads, 1, most) % config::as_int(entry.value, 1, most) == 0;
}

void add_missing(const char* defaults, config::Value& config) {
  for (const config::Entry& entry : config::parse(defaults, "built-in defaults").entries)
    if (!config.find(entry.key) && shares_heads(entry, config)) {
      config.set(entry.key, entry.value);
      config.find(entry.key)->mark = config.mark;
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
