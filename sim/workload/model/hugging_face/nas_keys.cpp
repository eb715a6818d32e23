// What configurations of Llama-Nemotron say beyond the common names (modeling_decilm.py beside the
// weights of nvidia/Llama-3_3-Nemotron-Super-49B-v1): every block has an MLP of a width of its own,
// and some have no attention or no MLP.
#include <fmt/format.h>

#include <cmath>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr int64_t multiple = 256;

struct OwnBlock {
  bool attends = true, feeds = true;
  int64_t heads_a_key = 0, ffn = 0;
};

const Value& part_of(const Value& block, std::string_view key) {
  const Value* part = find_given(block, key);
  if (!part || !part->is_map())
    block.fail(fmt::format("a block needs the map '{}', as {{no_op: true}}", key));
  if (says(*part, "replace_with_linear", true))
    find_given(*part, "replace_with_linear")
        ->fail("a product in place of attention or MLP (replace_with_linear) is not modelled");
  return *part;
}

/// Two thirds of a factor times the width, rounded up.
int64_t width_of(const Value& feed, int64_t hidden) {
  const Value* factor = find_given(feed, "ffn_mult");
  if (!factor) feed.fail("an MLP needs the key 'ffn_mult'");
  const double width =
      std::floor(2 * config::as_number(*factor, 0, 1e6) * static_cast<double>(hidden) / 3);
  return (static_cast<int64_t>(width) + multiple - 1) / multiple * multiple;
}

OwnBlock read_own_block(const Value& value, int64_t hidden) {
  const Value &attention = part_of(value, "attention"), &feed = part_of(value, "ffn");
  OwnBlock block{.attends = !says(attention, "no_op", true), .feeds = !says(feed, "no_op", true)};
  if (block.attends) block.heads_a_key = count_of(attention, "n_heads_in_group", 1);
  if (block.feeds) block.ffn = width_of(feed, hidden);
  return block;
}

/// Blocks that do nothing are left out.
std::vector<OwnBlock> own_blocks(const Value& config) {
  const Value* list = find_given(config, "block_configs");
  if (!list || !list->is_list())
    config.fail("model_type 'nemotron-nas' needs the key 'block_configs', a list of blocks");
  std::vector<OwnBlock> blocks;
  int64_t heads_a_key = 0;
  for (const Value& item : list->items) {
    const OwnBlock block = read_own_block(item, count_of(config, "hidden_size", 0));
    if (heads_a_key > 0 && block.attends && block.heads_a_key != heads_a_key)
      item.fail(
          "blocks whose heads share keys otherwise than those of other blocks are not modelled");
    if (block.attends) heads_a_key = block.heads_a_key;
    if (block.attends || block.feeds) blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

void extend_nemotron_nas(const Value& config, Value& transformer) {
  std::vector<std::string_view> mixers, feeds;
  Value widths;
  widths.kind = Value::Kind::list;
  int64_t heads_a_key = 1;
  for (const OwnBlock& block : own_blocks(config)) {
    mixers.push_back(block.attends ? "full" : "none");
    feeds.push_back(block.feeds ? "dense" : "none");
    widths.items.push_back(config::number(std::max(block.ffn, multiple), config.mark));
    if (block.attends) heads_a_key = std::max<int64_t>(block.heads_a_key, 1);
  }
  set_number(transformer, "layers", std::ssize(mixers));
  transformer.set("mixers", list_of(mixers));
  transformer.set("feeds", list_of(feeds));
  transformer.set("ffn", std::move(widths));
  set_number(transformer, "kv_heads", count_of(config, "num_attention_heads", 1) / heads_a_key);
}

}  // namespace pipewright::hugging_face
