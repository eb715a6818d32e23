// What configurations of RecurrentGemma say beyond the common names (transformers,
// recurrent_gemma/configuration_recurrent_gemma.py and modeling_recurrent_gemma.py).
#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

/// Blocks of recurrent units and of attention with a window, which begin again.
void read_block_types(const Value& config, Value& transformer) {
  std::vector<std::string_view> mixers;
  if (const Value* types = find_given(config, "block_types"))
    for (const Value& type : types->items)
      mixers.push_back(config::as_choice(type, {"recurrent", "attention"}) == 0 ? "gated-recurrence"
                                                                                : "sliding");
  if (mixers.empty()) mixers = {"gated-recurrence", "gated-recurrence", "sliding"};
  transformer.set("mixers", list_of(mixers));
}

}  // namespace

/// MLPs are half as wide as is said. Attention adds a bias behind its heads.
void extend_recurrent_gemma(const Value& config, Value& transformer) {
  read_block_types(config, transformer);
  const int64_t hidden = count_of(config, "hidden_size", 0);
  set_number(transformer, "ffn", count_of(config, "intermediate_size", 0) / 2);
  set_number(transformer, "window", count_of(config, "attention_window_size", 0));
  Value& units = map_of(transformer, "gated_recurrence");
  set_number(units, "width", count_of(config, "lru_width", hidden));
  set_number(units, "blocks", count_of(config, "num_attention_heads", 0));
  copy(config, "conv1d_width", units, "convolution");
  const bool all = says(config, "attention_bias", true);
  set(map_of(transformer, "attention"), "bias", all ? "all" : "output");
  if (find_given(config, "logits_soft_cap")) set(transformer, "logit_cap", "true");
}

}  // namespace pipewright::hugging_face
