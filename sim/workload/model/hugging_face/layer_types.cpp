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

/// Tells of each layer whether an item of a list for all layers says that it has experts.
std::vector<bool> routes_by(const Value& list, int64_t layers, bool (*has_experts)(const Value&)) {
  require_one_for_each(list, layers);
  std::vector<bool> routes;
  for (const Value& item : list.items) routes.push_back(has_experts(item));
  return routes;
}

bool is_sparse(const Value& type) {
  if (type.text == "sparse" || type.text == "dense") return type.text == "sparse";
  type.fail(fmt::format("no type '{}' of an MLP is known; known are dense and sparse", type.text));
}

const Value* find_list(const Value& config, std::string_view key) {
  const Value* list = find_given(config, key);
  return list && list->is_list() ? list : nullptr;
}

/// There is no window, and transformers ends in create_sliding_window_causal_mask
/// (masking_utils.py).
void refuse_sliding(const Value& types) {
  for (const Value& type : types.items)
    if (type.text == "sliding_attention")
      type.fail(
          "layer_types says sliding_attention where use_sliding_window is false: such a layer has "
          "no window; it must be full_attention, or use_sliding_window true");
}

}  // namespace

void require_one_for_each(const Value& list, int64_t layers) {
  if (static_cast<int64_t>(list.items.size()) != layers)
    list.fail(fmt::format("has {} entries for {} layers: it must have one for each",
                          list.items.size(), layers));
}

std::vector<bool> listed_blocks(const Value& list, int64_t layers) {
  std::vector<bool> listed(static_cast<size_t>(layers), false);
  for (const Value& item : list.items)
    listed[static_cast<size_t>(config::as_int(item, 0, layers - 1))] = true;
  return listed;
}

void set_mixers(Value& transformer, const std::vector<std::string_view>& kinds) {
  transformer.set("mixers", list_of(kinds));
  if (std::ranges::find(kinds, "full") != kinds.end()) return;
  for (const char* key : {"heads", "kv_heads", "head_dim"}) erase(transformer, key);
}

void set_feeds(Value& transformer, const std::vector<bool>& routes) {
  Value feeds;
  feeds.kind = Value::Kind::list;
  feeds.mark = transformer.mark;
  for (const bool has : routes)
    feeds.items.push_back(config::scalar(has ? "experts" : "dense", transformer.mark));
  transformer.set("feeds", std::move(feeds));
}

void read_feed_types(const Value& config, Value& transformer) {
  const auto layers = [&] { return count_of(config, "num_hidden_layers", 0); };
  if (const Value* types = find_list(config, "mlp_layer_types"))
    return set_feeds(transformer, routes_by(*types, layers(), is_sparse));
  if (const Value* flags = find_list(config, "is_moe_layer"))
    return set_feeds(transformer, routes_by(*flags, layers(), config::as_bool));
  if (const Value* flags = find_list(config, "moe_layer_freq"))
    return set_feeds(transformer, routes_by(*flags, layers(), [](const Value& item) {
                       return config::as_int(item, 0, 1) == 1;
                     }));
  const Value* dense = find_list(config, "mlp_only_layers");
  if (!dense || dense->items.empty()) return;
  std::vector<bool> routes = listed_blocks(*dense, layers());
  const int64_t step = count_of(config, "decoder_sparse_step", 1);
  for (size_t block = 0; block < routes.size(); ++block)
    routes[block] = !routes[block] && step > 0 && static_cast<int64_t>(block + 1) % step == 0;
  set_feeds(transformer, routes);
}

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
  if (says(config, "use_sliding_window", false) && !transformer.find("window"))
    refuse_sliding(*given);
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
