// The kinds of a configuration's layers, as lists or by an interval.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr std::array<std::string_view, 5> types = {"full_attention", "sliding_attention",
                                                   "chunked_attention", "linear_attention",
                                                   "deepseek_sparse_attention"};

/// The kind of our own that a type is.
std::string_view kind_of(const Value& type, std::string_view linear) {
  const std::string& name = config::as_text(type);
  if (name == "full_attention" || name == "deepseek_sparse_attention") return "full";
  if (name == "sliding_attention") return "sliding";
  if (name == "chunked_attention") return "chunked";
  if (name == "linear_attention" && !linear.empty()) return linear;
  type.fail(fmt::format("no layer type '{}' is known; known are {}{}", name, join(types),
                        did_you_mean(name, types)));
}

}  // namespace

Value& map_of(Value& transformer, std::string_view key) {
  if (!transformer.find(key)) set(transformer, key, "{}");
  return *transformer.find(key);
}

bool read_layer_types(const Value& config, std::string_view linear, Value& transformer) {
  const Value* given = find_given(config, "layer_types");
  if (!given) return false;
  if (!given->is_list() || given->items.empty())
    given->fail("layer_types must be a list with the type of every layer, such as full_attention");
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  if (layers > 0 && given->items.size() != static_cast<size_t>(layers))
    given->fail(fmt::format("layer_types has {} types for {} layers: it must have one for each",
                            given->items.size(), layers));
  Value mixers;
  mixers.kind = Value::Kind::list;
  mixers.mark = given->mark;
  for (const Value& type : given->items)
    mixers.items.push_back(config::scalar(kind_of(type, linear), type.mark));
  const bool all_full =
      std::ranges::all_of(mixers.items, [](const Value& kind) { return kind.text == "full"; });
  if (!all_full || transformer.find("window")) transformer.set("mixers", std::move(mixers));
  return true;
}

void alternate(Value& transformer, std::string_view often, std::string_view rare,
               int64_t interval) {
  Value mixers;
  mixers.kind = Value::Kind::list;
  mixers.mark = transformer.mark;
  for (int64_t block = 1; block < interval; ++block)
    mixers.items.push_back(config::scalar(often, transformer.mark));
  mixers.items.push_back(config::scalar(rare, transformer.mark));
  transformer.set("mixers", std::move(mixers));
}

}  // namespace pipewright::hugging_face
