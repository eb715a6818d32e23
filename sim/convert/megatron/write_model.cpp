// The vocabulary goes out as a tokenizer without files: its size is one less than the multiple that
// it is padded to, which gives the same number whether the release counts a token more (until
// February 2026) or not. Where nothing is padded it is the size itself, as since February 2026.
#include <algorithm>

#include "convert/job/transformer_map.hpp"
#include "convert/megatron/indexer.hpp"
#include "convert/megatron/writers.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

void write_latent(const LatentAttention& latent, ArgumentLines& out) {
  out.add("multi-latent-attention");
  if (latent.query > 0) out.add("q-lora-rank", latent.query);
  out.add("kv-lora-rank", latent.key_value);
  out.add("qk-head-dim", latent.nope);
  out.add("qk-pos-emb-head-dim", latent.rope);
  out.add("v-head-dim", latent.value);
  out.add("qk-layernorm");  // norms of low rank, which gpt_layer_specs.py leaves out without it
}

void write_heads(const TransformerShape& shape, ArgumentLines& out) {
  out.add("num-attention-heads", shape.attention.heads);
  if (shape.attention.latent) return;
  if (shape.attention.kv_heads != shape.attention.heads) {
    out.add("group-query-attention");
    out.add("num-query-groups", shape.attention.kv_heads);
  }
  if (shape.attention.head_dim * shape.attention.heads != shape.hidden)
    out.add("kv-channels", shape.attention.head_dim);
  if (shape.attention.norm == HeadNorm::head) out.add("qk-layernorm");
  if (shape.attention.norm == HeadNorm::unit) out.add("qk-l2-norm");
  if (shape.attention.bias == AttentionBias::inputs && !job::all_products_have_biases(shape))
    out.add("add-qkv-bias");
  if (shape.attention.sinks) out.add("softmax-type", "learnable");
  if (shape.attention.gate) out.add("attention-output-gate");
}

/// "([1,1,1,0]*12)" for layers of which those with a 1 have the window; nothing where others are.
std::string window_pattern(const TransformerShape& shape) {
  const std::vector<Mixer>& mixers = shape.kinds.mixers;
  std::string period;
  for (const Mixer mixer : mixers) {
    if (mixer != Mixer::sliding && mixer != Mixer::full) return {};
    period += (period.empty() ? "" : ",") + std::string(mixer == Mixer::sliding ? "1" : "0");
  }
  const auto size = std::ssize(mixers);
  if (size == 0 || shape.layers % size != 0) return {};
  return fmt::format("'([{}]*{})'", period, shape.layers / size);
}

void write_window(const TransformerShape& shape, ArgumentLines& out) {
  if (shape.attention.window <= 0) return;
  out.add("window-size", fmt::format("'({},0)'", shape.attention.window - 1));
  if (shape.attention.window_every == 2) out.add("window-attn-skip-freq", 2);
  if (const std::string pattern = window_pattern(shape); !pattern.empty())
    out.add("window-attn-skip-freq", pattern);
}

void write_vocabulary(int64_t vocabulary, int tensor, ArgumentLines& out) {
  int64_t unit = 128;
  while (unit > 1 && vocabulary % (unit * tensor) != 0) unit /= 2;
  out.add("tokenizer-type", "NullTokenizer");
  out.add("vocab-size", unit * tensor > 1 ? vocabulary - 1 : vocabulary);
  out.add("make-vocab-size-divisible-by", unit);
}

/// --quick-geglu stands for the gate too.
bool is_quick(const Experiment& e) {
  return std::ranges::any_of(job::model_constants(e), [](const ModelConstant& constant) {
    return constant.what == Constant::activation && constant.said.text == "quick_gelu";
  });
}

}  // namespace

void write_model(const Experiment& e, ArgumentLines& out) {
  static constexpr const char* positions[] = {"learned_absolute", "rope", "none", "none"};
  const TransformerShape& shape = e.model_or_fail().transformer;
  out.add("num-layers", shape.layers);
  out.add("hidden-size", shape.hidden);
  write_heads(shape, out);
  out.add("ffn-hidden-size", shape.ffn);
  if (shape.gated && !is_quick(e)) out.add("swiglu");
  write_vocabulary(shape.ends.vocabulary, e.parallel.tensor, out);
  if (!shape.ends.tied) out.add("untie-embeddings-and-output-weights");
  out.add("position-embedding-type", positions[static_cast<size_t>(shape.positions)]);
  out.add("max-position-embeddings", sequence_of(e));
  out.add("normalization", shape.norm == Norm::layernorm ? "LayerNorm" : "RMSNorm");
  if (!job::all_products_have_biases(shape)) out.add("disable-bias-linear");
  for (const char* name : {"attention-dropout", "hidden-dropout"})
    out.add(name, shape.dropout ? "0.1" : "0.0");
  if (shape.ends.predicted > 0) out.add("mtp-num-layers", shape.ends.predicted);
  write_window(shape, out);
  write_experts(e, out);
  if (shape.attention.latent) write_latent(*shape.attention.latent, out);
  write_indexer(e, out);
}

}  // namespace pipewright::megatron
