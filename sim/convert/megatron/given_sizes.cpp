#include "convert/megatron/given_sizes.hpp"

#include <fmt/format.h>

#include "convert/job/job.hpp"
#include "convert/megatron/layer_pattern.hpp"
#include "interop/words.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright::megatron {
namespace {

struct Size {
  const char *argument, *key;
};
constexpr Size sizes[] = {{"hidden-size", "hidden"},        {"num-attention-heads", "heads"},
                          {"num-query-groups", "kv_heads"}, {"ffn-hidden-size", "ffn"},
                          {"kv-channels", "head_dim"},      {"vocab-size", "vocabulary"},
                          {"mtp-num-layers", "predict"}};
constexpr Size latent_sizes[] = {{"q-lora-rank", "query"},
                                 {"kv-lora-rank", "key_value"},
                                 {"qk-head-dim", "nope"},
                                 {"qk-pos-emb-head-dim", "rope"},
                                 {"v-head-dim", "value"}};
constexpr Size expert_sizes[] = {{"num-experts", "count"},
                                 {"num-moe-experts", "count"},
                                 {"moe-router-topk", "active"},
                                 {"moe-router-num-groups", "groups"},
                                 {"moe-router-group-topk", "active_groups"},
                                 {"moe-ffn-hidden-size", "ffn"}};

/// Say how many tokens there are, as the model does.
constexpr const char* tokenizers[] = {"tokenizer-type",  "tokenizer-model",
                                      "vocab-file",      "merge-file",
                                      "vocab-extra-ids", "tiktoken-num-special-tokens"};

/// An argument that says a value of a key by a word of its own, or by standing there.
struct Kind {
  const char *argument, *said, *key, *value;
};
constexpr Kind kinds[] = {{"swiglu", "", "gated", "true"},
                          {"gated-linear-unit", "", "gated", "true"},
                          {"disable-bias-linear", "", "bias", "false"},
                          {"untie-embeddings-and-output-weights", "", "tied_embeddings", "false"},
                          {"normalization", "RMSNorm", "norm", "rmsnorm"},
                          {"normalization", "LayerNorm", "norm", "layernorm"},
                          {"normalization", "rmsnorm", "norm", "rmsnorm"},
                          {"normalization", "layernorm", "norm", "layernorm"},
                          {"position-embedding-type", "rope", "positions", "rope"},
                          {"position-embedding-type", "rotary", "positions", "rope"},
                          {"position-embedding-type", "learned_absolute", "positions", "learned"},
                          {"position-embedding-type", "none", "positions", "none"},
                          {"use-rotary-position-embeddings", "", "positions", "rope"},
                          {"no-position-embedding", "", "positions", "rope"},
                          {"no-position-embedding", "", "positions", "none"}};

template <size_t count>
void accept_sizes(Flags& flags, const Size (&sizes)[count], const config::Value& map) {
  for (const Size& size : sizes)
    if (const config::Value* value = map.find(size.key)) flags.accept(size.argument, value->text);
}

/// Norms and biases of queries and keys, which attention of low rank has as DeepSeek's.
void accept_attention(Flags& flags, const config::Value& transformer) {
  const config::Value* attention = transformer.find("attention");
  const auto says = [&](const char* key, std::string_view text) {
    const config::Value* value = attention ? attention->find(key) : nullptr;
    return value && value->text == text;
  };
  const config::Value* latent = transformer.find("latent");
  if (latent) {
    flags.accept("multi-latent-attention", "");
    accept_sizes(flags, latent_sizes, *latent);
  }
  if (latent || says("norm", "head")) flags.accept("qk-layernorm", "");
  if (says("norm", "unit")) flags.accept("qk-l2-norm", "");
  if (says("sinks", "true")) flags.accept("softmax-type", "learnable");
  if (says("bias", "inputs") || says("bias", "all")) flags.accept("add-qkv-bias", "");
}

/// Returns a 1 for each layer that has what `is_one` asks for, and a 0 for each other.
template <class IsOne>
std::vector<int> layers_of(const TransformerShape& shape, IsOne is_one) {
  std::vector<int> layers;
  for (int64_t layer = 0; layer < shape.layers; ++layer) layers.push_back(is_one(layer) ? 1 : 0);
  return layers;
}

/// Uses a list of layers, or a number of them, where it is that of the model.
void accept_layers(Flags& flags, const std::string& name, const std::vector<int>& layers,
                   std::optional<int64_t> every) {
  const std::string text = flags.look(name).value_or("");
  const auto count = interop::number_of<int64_t>(text);
  const auto pattern = read_layer_pattern(text);
  if (count ? count == every : pattern && *pattern == layers) flags.has(name);
}

/// Sizes that several keys of a model say together, or that it has no use for.
void accept_shape(Flags& flags, const TransformerShape& shape) {
  if (shape.attention.latent) {
    for (const char* name : {"kv-channels", "num-query-groups"}) flags.has(name);
    flags.accept("qk-head-dim", std::to_string(shape.attention.latent->nope));
  }
  const bool is_plain = shape.experts && shape.experts->dense == 0 && shape.experts->every == 1 &&
                        shape.kinds.feeds.empty();
  if (is_plain) flags.has("ffn-hidden-size");  // no layer has a dense MLP
  if (shape.experts) {
    flags.accept("moe-shared-expert-intermediate-size",
                 std::to_string(shape.experts->shared_width()));
    const auto routes = [&](int64_t layer) { return shape.feed(layer) == Feed::experts; };
    accept_layers(flags, "moe-layer-freq", layers_of(shape, routes),
                  is_plain ? std::optional<int64_t>(1) : std::nullopt);
  }
  if (shape.attention.window == 0) return;
  const std::string left = std::to_string(shape.attention.window - 1);
  for (const char* form : {"({},0)", "({}, 0)", "{},0", "[{}, 0]"})
    flags.accept("window-size", fmt::format(fmt::runtime(form), left));
  const auto slides = [&](int64_t layer) { return shape.mixer(layer) == Mixer::sliding; };
  accept_layers(flags, "window-attn-skip-freq", layers_of(shape, slides),
                shape.kinds.mixers.empty() && shape.attention.window_every == 2
                    ? std::optional<int64_t>(2)
                    : std::nullopt);
}

}  // namespace

void take_padding(Flags& flags, int64_t tensor, config::Value& transformer) {
  const char* name = "make-vocab-size-divisible-by";
  bool is_kept = false;
  for (const char* argument :
       {"use-checkpoint-args", "no-pad-vocab-size", "disable-pad-vocab-size"})
    is_kept = flags.has(argument) || is_kept;
  if (!flags.has(name) || is_kept) return;
  const int64_t multiple = flags.number(name, 1);
  const config::Value* vocabulary = transformer.find("vocabulary");
  if (!vocabulary || multiple > INT64_C(1'000'000'000)) return;
  const int64_t unit = multiple * tensor;
  const int64_t tokens = config::as_int(*vocabulary, 1, INT64_C(1'000'000'000'000));
  transformer.set("vocabulary", config::number((tokens + unit - 1) / unit * unit));
}

void take_dropout(Flags& flags, config::Value& transformer) {
  int with = 0, without = 0;
  for (const char* name : {"attention-dropout", "hidden-dropout"})
    if (flags.has(name)) ++(flags.real(name, 0) > 0 ? with : without);
  if (with > 0 || without == 2) transformer.set("dropout", job::truth(with > 0));
}

void accept_given_sizes(Flags& flags, const config::Value& transformer) {
  accept_sizes(flags, sizes, transformer);
  if (const config::Value* experts = transformer.find("experts"))
    accept_sizes(flags, expert_sizes, *experts);
  accept_attention(flags, transformer);
  accept_shape(flags, read_transformer(transformer));
  for (const char* name : tokenizers) flags.has(name);
  flags.accept("group-query-attention", "");  // the number of groups says which
  for (const Kind& kind : kinds) {
    const config::Value* value = transformer.find(kind.key);
    if (value && value->text == kind.value) flags.accept(kind.argument, kind.said);
  }
}

}  // namespace pipewright::megatron
