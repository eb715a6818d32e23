#include "convert/megatron/given_sizes.hpp"

namespace pipewright::megatron {
namespace {

struct Size {
  const char *argument, *key;
};
constexpr Size sizes[] = {{"hidden-size", "hidden"},        {"num-attention-heads", "heads"},
                          {"num-query-groups", "kv_heads"}, {"ffn-hidden-size", "ffn"},
                          {"kv-channels", "head_dim"},      {"vocab-size", "vocabulary"}};

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
                          {"position-embedding-type", "rope", "positions", "rope"}};

}  // namespace

void accept_given_sizes(Flags& flags, const config::Value& transformer) {
  for (const Size& size : sizes)
    if (const config::Value* value = transformer.find(size.key))
      flags.accept(size.argument, value->text);
  flags.accept("group-query-attention", "");  // the number of groups says which
  for (const Kind& kind : kinds) {
    const config::Value* value = transformer.find(kind.key);
    if (value && value->text == kind.value) flags.accept(kind.argument, kind.said);
  }
}

}  // namespace pipewright::megatron
