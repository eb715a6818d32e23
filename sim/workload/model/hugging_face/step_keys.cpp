// What configurations of Step 3.5 say beyond the common names (modeling_step3p5.py beside the
// weights of stepfun-ai/Step-3.5-Flash): blocks with a window have heads of another number, and
// every head has a gate of one number.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

/// Reads the number of a block of a text that may begin with spaces.
int64_t block_number(std::string_view text, int64_t layers, const Value& at) {
  const std::string_view digits = text.substr(std::min(text.find_first_not_of(' '), text.size()));
  int64_t number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || number < 0 ||
      number >= layers)
    at.fail(fmt::format("'{}' is no block of {}: moe_layers_enum must be numbers such as \"3,4,5\"",
                        text, layers));
  return number;
}

/// Experts in the blocks of a text such as "3,4,5", in all but the first where there is none.
std::vector<bool> routed_blocks(const Value& config, int64_t layers) {
  std::vector<bool> routes(static_cast<size_t>(layers), true);
  const Value* listed = find_given(config, "moe_layers_enum");
  if (!listed) {
    if (layers > 0) routes.front() = false;
    return routes;
  }
  if (listed->is_list()) return listed_blocks(*listed, layers);
  routes.assign(routes.size(), false);
  const std::string_view text = config::as_text(*listed);
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    routes[static_cast<size_t>(block_number(text.substr(at, end - at), layers, *listed))] = true;
    at = end + 1;
  }
  return routes;
}

/// The list may have more entries than blocks: those of modules that predict further tokens.
std::vector<std::string_view> step_mixers(const Value& config, int64_t layers) {
  std::vector<std::string_view> mixers;
  const Value* types = find_given(config, "layer_types");
  if (!types || static_cast<int64_t>(types->items.size()) < layers)
    (types ? *types : config)
        .fail(fmt::format("'layer_types' must be a list with one entry for each of {} layers",
                          layers));
  for (int64_t block = 0; block < layers; ++block)
    mixers.push_back(config::as_choice(types->items[static_cast<size_t>(block)],
                                       {"full_attention", "sliding_attention"}) == 0
                         ? "full"
                         : "sliding");
  return mixers;
}

}  // namespace

/// The common heads are those of blocks with a window.
void extend_step3p5(const Value& config, Value& transformer) {
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  transformer.set("mixers", list_of(step_mixers(config, layers)));
  set_feeds(transformer, routed_blocks(config, layers));
  Value& attention = map_of(transformer, "attention");
  if (says(config, "use_head_wise_attn_gate", true)) set(attention, "head_gate", "true");
  copy(config, "num_attention_groups", transformer, "kv_heads");
  if (const Value* other = find_given(config, "attention_other_setting")) {
    Value& full = map_of(attention, "full");
    copy(config, "num_attention_heads", full, "heads");
    copy(config, "num_attention_groups", full, "kv_heads");
    copy(*other, "num_attention_heads", transformer, "heads");
    copy(*other, "num_attention_groups", transformer, "kv_heads");
  }
  Value& experts = map_of(transformer, "experts");
  copy(config, "moe_top_k", experts, "active");
  set(experts, "shared", "1");
  copy(config, "share_expert_dim", experts, "shared_ffn");
}

/// Queries go through a rank to heads that have one key (multi-matrix factorisation attention,
/// arXiv 2412.19255).
void extend_step3(const Value& config, Value& transformer) {
  set_feeds(transformer, routed_blocks(config, count_of(config, "num_hidden_layers", 0)));
  copy(config, "num_attention_groups", transformer, "kv_heads");
  copy(config, "share_q_dim", map_of(transformer, "attention"), "query_rank");
  Value& experts = map_of(transformer, "experts");
  copy(config, "moe_top_k", experts, "active");
  set(experts, "shared", "1");
  copy(config, "share_expert_dim", experts, "shared_ffn");
}

}  // namespace pipewright::hugging_face
