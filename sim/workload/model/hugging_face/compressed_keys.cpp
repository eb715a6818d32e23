// What configurations of families with compressed keys say: DeepSeek-V4 (transformers,
// deepseek_v4/configuration_deepseek_v4.py).
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

struct CompressedType {
  int64_t ratio;  ///< in compress_ratios
  std::string_view name, mixer;
};
constexpr CompressedType compressed_types[] = {
    {0, "sliding_attention", "sliding"},
    {4, "compressed_sparse_attention", "few-compressed"},
    {128, "heavily_compressed_attention", "many-compressed"}};

std::string_view mixer_of(const Value& item, bool is_ratio) {
  for (const CompressedType& type : compressed_types)
    if (item.text == (is_ratio ? std::to_string(type.ratio) : type.name)) return type.mixer;
  item.fail(is_ratio ? fmt::format("no ratio {} is known; known are 0, 4 and 128", item.text)
                     : fmt::format("no layer type '{}' is known; known are {}, {} and {}",
                                   item.text, compressed_types[0].name, compressed_types[1].name,
                                   compressed_types[2].name));
}

/// The class's own kinds: two blocks of many tokens a key, then the other kind and this by turns.
std::vector<std::string_view> usual_mixers(int64_t layers) {
  std::vector<std::string_view> mixers;
  for (int64_t block = 0; block < layers; ++block)
    mixers.push_back(block < 2 || block % 2 == 0 ? "many-compressed" : "few-compressed");
  return mixers;
}

/// A list may have more entries than blocks: those of modules that predict further tokens.
std::vector<std::string_view> mixers_of(const Value& config, int64_t layers) {
  const Value* list = find_given(config, "layer_types");
  const bool is_ratio = !list;
  if (!list) list = find_given(config, "compress_ratios");
  if (!list) return usual_mixers(layers);
  if (!list->is_list() || static_cast<int64_t>(list->items.size()) < layers)
    list->fail(fmt::format("must be a list with one entry for each of {} layers", layers));
  std::vector<std::string_view> mixers;
  for (int64_t block = 0; block < layers; ++block)
    mixers.push_back(mixer_of(list->items[static_cast<size_t>(block)], is_ratio));
  return mixers;
}

/// Tokens of a key, by kind of block, under their name of today or of the first files.
int64_t rate_of(const Value& config, const CompressedType& type, std::string_view before) {
  const Value* rates = find_given(config, "compress_rates");
  if (rates && rates->is_map() && rates->find(type.name))
    return config::as_int(*rates->find(type.name), 1, 1 << 30);
  return count_of(config, before, type.ratio);
}

}  // namespace

/// All heads share one key, and all blocks have experts, whatever keys of other families say.
void extend_deepseek_v4(const Value& config, Value& transformer) {
  set(transformer, "kv_heads", "1");
  if (Value* experts = transformer.find("experts")) erase(*experts, "dense");
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  transformer.set("mixers", list_of(mixers_of(config, layers)));
  copy(config, "hc_mult", transformer, "streams");
  copy(config, "moe_intermediate_size", transformer, "ffn");
  Value& attention = map_of(transformer, "attention");
  copy(config, "q_lora_rank", attention, "query_rank");
  Value& output = map_of(attention, "output");
  copy(config, "o_lora_rank", output, "rank");
  copy(config, "o_groups", output, "groups");
  Value& compression = map_of(attention, "compression");
  set_number(compression, "few", rate_of(config, compressed_types[1], "compress_rate_csa"));
  set_number(compression, "many", rate_of(config, compressed_types[2], "compress_rate_hca"));
  Value& indexer = map_of(attention, "indexer");
  copy(config, "index_n_heads", indexer, "heads");
  copy(config, "index_head_dim", indexer, "head_dim");
  copy(config, "index_topk", indexer, "keys");
}

}  // namespace pipewright::hugging_face
