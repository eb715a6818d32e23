#include "calibrate/train/layers/model.hpp"

namespace pipewright::train {
namespace {

LayerPointer attention_part(const TransformerShape& s) {
  const int64_t queries = s.attention.heads * s.attention.head_dim,
                keys = s.attention.kv_heads * s.attention.head_dim;
  return chain_of(
      layer_norm(s.hidden), linear(s.hidden, queries + 2 * keys, s.bias),
      attention(static_cast<int>(s.attention.heads), static_cast<int>(s.attention.kv_heads),
                static_cast<int>(s.attention.head_dim), !s.encoder),
      linear(queries, s.hidden, s.bias));
}

LayerPointer mlp_part(const TransformerShape& s) {
  return chain_of(layer_norm(s.hidden), linear(s.hidden, s.ffn, s.bias), gelu(),
                  linear(s.ffn, s.hidden, s.bias));
}

}  // namespace

Network transformer_network(const TransformerShape& s, int sequence) {
  Network network;
  const int positions = s.positions == Positions::learned ? sequence : 0;
  network.first = embedding(s.ends.vocabulary, positions, s.hidden);
  for (int64_t i = 0; i < s.layers; ++i)
    network.blocks.push_back(chain_of(residual(attention_part(s)), residual(mlp_part(s))));
  network.last =
      chain_of(layer_norm(s.hidden), linear(s.hidden, s.ends.vocabulary, false), cross_entropy());
  if (s.ends.tied) network.tied = s.ends.vocabulary * s.hidden;
  return network;
}

std::string unsupported(const TransformerShape& s) {
  if (s.experts) return "experts";
  if (s.attention.latent) return "latent attention";
  if (s.ends.classes > 0) return "a head that tells classes";
  if (s.decoder.layers > 0) return "an encoder with a decoder";
  if (s.gated) return "gated MLPs";
  if (s.norm != Norm::layernorm) return "rmsnorm";
  if (s.form == BlockForm::parallel) return "parallel blocks";
  if (!s.rare_part().empty()) return std::string(s.rare_part());
  if (s.positions == Positions::rope || s.positions == Positions::alibi)
    return "rope and alibi positions";
  if (s.attention.window > 0) return "windowed attention";
  return "";
}

}  // namespace pipewright::train
