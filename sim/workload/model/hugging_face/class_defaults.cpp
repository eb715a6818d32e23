#include "workload/model/hugging_face/class_defaults.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace pipewright::hugging_face {
namespace {

constexpr int64_t largest_count = 1 << 20;

constexpr std::string_view counts_of_experts[] = {"n_routed_experts", "num_local_experts",
                                                  "num_experts", "moe_num_experts"};

/// Returns a whole number that the file gives; nothing where it is none.
std::optional<int64_t> count_given(const config::Value& config, std::string_view key) {
  const config::Value* value = config.find(key);
  if (!value || !value->is_scalar() || value->is_null()) return std::nullopt;
  return config::as_int(*value, 0, largest_count);
}

std::optional<int64_t> count_of_experts(const config::Value& config) {
  for (const std::string_view key : counts_of_experts)
    if (const auto count = count_given(config, key)) return count;
  return std::nullopt;
}

/// Tells whether a class's number goes with the file's heads and experts. One that does not is of a
/// larger model: each head has keys of its own then, a token goes to one expert, and experts are in
/// no groups.
bool fits(const config::Entry& entry, const config::Value& config) {
  const auto at_most = [&](std::optional<int64_t> limit) {
    return !limit || config::as_int(entry.value, 0, largest_count) <= *limit;
  };
  const auto divides = [&](std::optional<int64_t> number) {
    return !number || *number % config::as_int(entry.value, 1, largest_count) == 0;
  };
  if (entry.key == "num_key_value_heads")
    return divides(count_given(config, "num_attention_heads"));
  if (entry.key == "n_group") return divides(count_of_experts(config));
  if (entry.key == "num_experts_per_tok" || entry.key == "moe_k")
    return at_most(count_of_experts(config));
  return entry.key != "topk_group" || at_most(count_given(config, "n_group").value_or(0));
}

void add_missing(const char* defaults, config::Value& config) {
  for (const config::Entry& entry : config::parse(defaults, "built-in defaults").entries)
    if (!config.find(entry.key) && fits(entry, config)) {
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
