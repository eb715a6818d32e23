#include "convert/megatron/given_sizes.hpp"

#include "convert/job/job.hpp"

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
  if (says("bias", "inputs") || says("bias", "all")) flags.accept("add-qkv-bias", "");
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
  for (const char* name : tokenizers) flags.has(name);
  flags.accept("group-query-attention", "");  // the number of groups says which
  for (const Kind& kind : kinds) {
    const config::Value* value = transformer.find(kind.key);
    if (value && value->text == kind.value) flags.accept(kind.argument, kind.said);
  }
}

}  // namespace pipewright::megatron
