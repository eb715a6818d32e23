#include "calibrate/train/layers/model.hpp"

#include <algorithm>
#include <set>

#include "base/required.hpp"

namespace pipewright::train {
namespace {

Network network_of(const Model& model, int sequence) {
  if (model.cnn) return image_network(*model.cnn);
  if (model.recurrent) return lstm_network(*model.recurrent);
  return transformer_network(model.transformer, sequence);
}

Stage make_stage(std::vector<LayerPointer> layers, int first_number, uint64_t seed) {
  Stage stage;
  for (size_t i = 0; i < layers.size(); ++i) {
    const size_t begin = stage.initial.size();
    stage.initial.resize(begin + static_cast<size_t>(layers[i]->parameters()));
    Random random(seed, static_cast<uint64_t>(first_number) + i + 1);
    layers[i]->initialize(random, std::span(stage.initial).subspan(begin));
  }
  stage.layers = whole(chain(std::move(layers)));
  return stage;
}

/// Lays the end of the last stage's weights over the beginning of the first's.
TiedTable tie(StagedModel& model, int64_t size) {
  if (size == 0) return {};
  Stage &first = model.stages.front(), &last = model.stages.back();
  const TiedTable tied{0, last.parameters() - size, size};
  std::copy_n(first.initial.begin(), size, last.initial.begin() + tied.last_offset);
  return tied;
}

/// Cuts the model over the tensor-parallel ranks. On a cube those that have the first part of the
/// vocabulary know the loss of their sequences.
void cut(StagedModel& staged, const TransformerShape& shape, const std::vector<int>& blocks,
         const ModelOptions& options) {
  const int side = options.grid.sides[0];
  for (int rank = 0; rank < options.tensor; ++rank) {
    if (options.grid.is_line()) {
      staged.parts.push_back(tensor_parallel_stages(shape, options.sequence, rank, options.tensor,
                                                    blocks, staged.stages));
    } else {
      staged.parts.push_back(
          cube_stages(shape, options.sequence, rank, side, blocks, staged.stages));
      staged.has_loss.push_back(rank / side % side == 0);
    }
  }
}

/// Cuts every stage over as many ranks as `options` says.
void cut_apart(StagedModel& staged, const TransformerShape& shape, const std::vector<int>& blocks,
               const ModelOptions& options) {
  staged.of_stages = options.tensors;
  staged.parts.resize(static_cast<size_t>(std::ranges::max(options.tensors)));
  for (std::vector<Stage>& part : staged.parts) part.resize(blocks.size());
  for (const int ranks : std::set(options.tensors.begin(), options.tensors.end())) {
    for (int rank = 0; rank < ranks && ranks > 1; ++rank) {
      std::vector<Stage> cut =
          tensor_parallel_stages(shape, options.sequence, rank, ranks, blocks, staged.stages);
      for (size_t k = 0; k < blocks.size(); ++k)
        if (options.tensors[k] == ranks)
          staged.parts[static_cast<size_t>(rank)][k] = std::move(cut[k]);
    }
  }
}

void cut(StagedModel& staged, const CnnShape& shape, const std::vector<int>& blocks, int strips) {
  staged.in_strips = true;
  staged.has_loss.assign(static_cast<size_t>(strips), true);
  for (int strip = 0; strip < strips; ++strip)
    staged.parts.push_back(strip_stages(shape, strip, strips, blocks, staged.stages));
}

}  // namespace

const Stage& StagedModel::stage(int number, int sharer) const {
  const bool is_whole = sharers_of(number) == 1;
  const std::vector<Stage>& own = is_whole ? stages : parts[static_cast<size_t>(sharer)];
  return own[static_cast<size_t>(number)];
}

bool StagedModel::counts_loss(int sharer) const {
  return has_loss.empty() ? sharer == 0 : has_loss[static_cast<size_t>(sharer)];
}

TiedTable StagedModel::tied_part(int number) const {
  if (tied.size == 0) return tied;
  const int64_t size = tied.size / sharers_of(number);
  return {0, stage(number, 0).parameters() - size, size};
}

StagedModel build_model(const Model& model, const std::vector<int>& blocks,
                        const ModelOptions& options) {
  Network network = network_of(model, options.sequence);
  StagedModel staged;
  int number = 0;  // of the stage's first layer
  auto next = network.blocks.begin();
  for (size_t k = 0; k < blocks.size(); ++k) {
    std::vector<LayerPointer> layers;
    if (k == 0) layers.push_back(std::move(network.first));
    for (int i = 0; i < blocks[k]; ++i, ++next)
      layers.push_back(options.recompute ? recomputed(std::move(*next)) : std::move(*next));
    if (k + 1 == blocks.size()) layers.push_back(std::move(network.last));
    const int count = static_cast<int>(layers.size());
    staged.stages.push_back(make_stage(std::move(layers), number, options.seed));
    number += count;
  }
  staged.tied = tie(staged, network.tied);
  if (!options.tensors.empty())
    cut_apart(staged, model.transformer, blocks, options);
  else if (options.tensor > 1)
    cut(staged, model.transformer, blocks, options);
  if (options.strips > 1)
    cut(staged, required(model.cnn, "strips are of images"), blocks, options.strips);
  return staged;
}

std::string unsupported(const Model& model) {
  if (model.layers) return "measured layers";
  if (model.cnn) return unsupported(*model.cnn);
  if (model.recurrent) return unsupported(*model.recurrent);
  return unsupported(model.transformer);
}

}  // namespace pipewright::train
