// What configurations of MiniMax-M3 say beyond the common names: attention to blocks of keys that
// an indexer chooses (vLLM, models/minimax_m3), and experts.
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

constexpr Name index_names[] = {
    {"heads", {"sparse_num_index_heads", "index_n_heads"}},
    {"head_dim", {"sparse_index_dim", "index_head_dim"}},
    {"block", {"sparse_block_size", "index_block_size"}},
};
constexpr Name chosen_blocks = {"keys", {"sparse_topk_blocks", "index_topk_blocks"}};

/// Blocks that choose keys, where a list of 0 and 1 says so.
void set_choices(const Value& sparse, int64_t layers, Value& indexer) {
  const Value* list = find_given(sparse, "sparse_attention_freq");
  if (!list || !list->is_list()) return;
  require_one_for_each(*list, layers);
  std::vector<std::string_view> choices;
  for (const Value& item : list->items)
    choices.push_back(config::as_int(item, 0, 1) == 1 ? "own" : "none");
  indexer.set("blocks", list_of(choices));
}

void set_indexer(const Value& config, Value& transformer) {
  const Value* given = find_given(config, "sparse_attention_config");
  const Value& sparse = given && given->is_map() ? *given : config;
  const Value* blocks = find_any(sparse, chosen_blocks);
  if (!blocks) return;
  Value indexer = translate(sparse, index_names, {});
  const int64_t block = count_of(indexer, "block", 128);
  set_number(indexer, "block", block);
  set_number(indexer, "keys", block * config::as_int(*blocks, 1, 1 << 20));
  set_choices(sparse, count_of(config, "num_hidden_layers", 0), indexer);
  map_of(transformer, "attention").set("indexer", std::move(indexer));
}

}  // namespace

void extend_minimax_m3(const Value& config, Value& transformer) {
  Value& attention = map_of(transformer, "attention");
  if (says(config, "use_qk_norm", true)) {
    const Value* kind = find_given(config, "qk_norm_type");
    set(attention, "norm", kind && kind->text == "per_layer" ? "width" : "head");
  }
  if (says(config, "attention_output_gate", true)) set(attention, "gate", "true");
  copy(config, "dense_intermediate_size", transformer, "ffn");
  copy(config, "shared_intermediate_size", map_of(transformer, "experts"), "shared_ffn");
  set_indexer(config, transformer);
}

}  // namespace pipewright::hugging_face
