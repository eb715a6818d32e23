// Stages of a network from a builder that adds its layers one by one.
#pragma once

#include "calibrate/train/layers/model.hpp"

namespace pipewright::train {

/// `blocks` by stage; the weights of stage k are parts of those of `whole[k]`.
template <class Builder>
std::vector<Stage> stages_by(Builder builder, const std::vector<int>& blocks,
                             const std::vector<Stage>& whole) {
  std::vector<Stage> stages;
  for (size_t k = 0; k < blocks.size(); ++k) {
    if (k == 0) builder.first();
    for (int i = 0; i < blocks[k]; ++i) builder.block();
    if (k + 1 == blocks.size()) builder.last();
    stages.push_back(builder.stage(whole[k].initial));
  }
  return stages;
}

}  // namespace pipewright::train
