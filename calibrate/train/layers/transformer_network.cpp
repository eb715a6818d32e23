#include "calibrate/train/layers/model.hpp"

namespace pipewright::train {
namespace {

LayerPointer attention_part(const TransformerShape& s) {
  const int64_t queries = s.heads * s.head_dim, keys = s.kv_heads * s.head_dim;
  return chain_of(layer_norm(s.hidden), linear(s.hidden, queries + 2 * keys, s.bias),
                  attention(static_cast<int>(s.heads), static_cast<int>(s.kv_heads),
                            static_cast<int>(s.head_dim), !s.encoder),
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
  network.first = embedding(s.vocabulary, positions, s.hidden);
  for (int64_t i = 0; i < s.layers; ++i)
    network.blocks.push_back(chain_of(residual(attention_part(s)), residual(mlp_part(s))));
  network.last =
      chain_of(layer_norm(s.hidden), linear(s.hidden, s.vocabulary, false), cross_entropy());
  if (s.tied_embeddings) network.tied = s.vocabulary * s.hidden;
  return network;
}

std::string unsupported(const TransformerShape& s) {
  if (s.experts) return "experts";
  if (s.latent) return "latent attention";
  if (s.classes > 0) return "a head that tells classes";
  if (s.decoder > 0) return "an encoder with a decoder";
  if (s.gated) return "gated MLPs";
  if (s.norm != Norm::layernorm) return "rmsnorm";
  if (s.parallel_block) return "parallel blocks";
  if (s.positions == Positions::rope || s.positions == Positions::alibi)
    return "rope and alibi positions";
  if (s.window > 0) return "windowed attention";
  return "";
}

}  // namespace pipewright::train
