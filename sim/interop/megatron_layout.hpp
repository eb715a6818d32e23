// Megatron-LM's --pipeline-model-parallel-layout: stages in model order, separated by '|'. In a
// stage E is the embedding, t a decoder layer, m a multi-token prediction layer, L the loss;
// "x*n" and "(...)*n" repeat; commas mean nothing. "Et*3|(tt|)*29,m|L" has 32 stages.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace pipewright {

/// What each stage of a layout holds beside the embedding and the loss.
struct MegatronLayout {
  std::vector<int64_t> layers;       ///< of the decoder
  std::vector<int64_t> predictions;  ///< multi-token prediction layers

  bool predicts() const;            ///< in any stage
  bool predicts_with_loss() const;  ///< in no stage but the last
};

/// Tells whether a text separates stages, or has nothing but the letters of a layout.
bool is_megatron_layout(std::string_view text);

/// Throws InputError at `where` for what is no layout, for parts that are not in model order, and
/// without the embedding or the loss: Megatron-Core asks for each once.
MegatronLayout read_megatron_layout(std::string_view text, const Where& where);

}  // namespace pipewright
