#include "calibrate/train/model.hpp"

#include <algorithm>

namespace pipewright::train {
namespace {

template <class... Layers>
LayerPointer chain_of(Layers... layers) {
  std::vector<LayerPointer> list;
  (list.push_back(std::move(layers)), ...);
  return chain(std::move(list));
}

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

LayerPointer block(const TransformerShape& s, bool recompute) {
  LayerPointer whole = chain_of(residual(attention_part(s)), residual(mlp_part(s)));
  return recompute ? recomputed(std::move(whole)) : std::move(whole);
}

LayerPointer first_layer(const TransformerShape& s, int sequence) {
  return embedding(s.vocabulary, s.positions == Positions::learned ? sequence : 0, s.hidden);
}

LayerPointer last_layer(const TransformerShape& s) {
  return chain_of(layer_norm(s.hidden), linear(s.hidden, s.vocabulary, false), cross_entropy());
}

Stage make_stage(std::vector<LayerPointer> layers, int first_number, uint64_t seed) {
  Stage stage;
  for (size_t i = 0; i < layers.size(); ++i) {
    const size_t begin = stage.initial.size();
    stage.initial.resize(begin + static_cast<size_t>(layers[i]->parameters()));
    Random random(seed, static_cast<uint64_t>(first_number) + i + 1);
    layers[i]->initialize(random, std::span(stage.initial).subspan(begin));
  }
  stage.layers = chain(std::move(layers));
  return stage;
}

}  // namespace

StagedModel build_model(const TransformerShape& shape, const std::vector<int>& blocks,
                        const ModelOptions& options) {
  StagedModel model;
  model.hidden = shape.hidden;
  int number = 0;  // of the stage's first layer
  for (size_t k = 0; k < blocks.size(); ++k) {
    std::vector<LayerPointer> layers;
    if (k == 0) layers.push_back(first_layer(shape, options.sequence));
    for (int i = 0; i < blocks[k]; ++i) layers.push_back(block(shape, options.recompute));
    if (k + 1 == blocks.size()) layers.push_back(last_layer(shape));
    const int count = static_cast<int>(layers.size());
    model.stages.push_back(make_stage(std::move(layers), number, options.seed));
    number += count;
  }
  if (!shape.tied_embeddings) return model;
  Stage &first = model.stages.front(), &last = model.stages.back();
  model.tied.size = shape.vocabulary * shape.hidden;
  model.tied.last_offset = last.parameters() - model.tied.size;
  std::copy_n(first.initial.begin(), model.tied.size,
              last.initial.begin() + model.tied.last_offset);
  return model;
}

std::string unsupported(const TransformerShape& s) {
  if (s.experts) return "experts";
  if (s.latent) return "latent attention";
  if (s.gated) return "gated MLPs";
  if (s.norm != Norm::layernorm) return "rmsnorm";
  if (s.parallel_block) return "parallel blocks";
  if (s.positions == Positions::rope || s.positions == Positions::alibi)
    return "rope and alibi positions";
  if (s.window > 0) return "windowed attention";
  return "";
}

}  // namespace pipewright::train
