// How DeepSpeed cuts the layers of a pipeline into stages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/value.hpp"

namespace pipewright::deepspeed {

/// A module of a pipeline: its class, and its parameters on a tensor rank.
struct PipelineModuleLayer {
  std::string_view name;
  int64_t parameters = 0;
  bool is_block = false;
};

/// Sizes of a transformer of which a pipeline's modules are made.
struct PipelineSizes {
  int64_t layers = 0, hidden = 0, ffn = 0, heads = 1, kv_heads = 1, vocabulary = 0;
  int64_t positions = 0;  ///< that are learned
  int64_t tensor = 1;
  bool gated = false, tied = true, bias = true, rms = false;
};

/// Returns the modules of Megatron-DeepSpeed's GPTModelPipe, or of GPT-NeoX's GPT2ModelPipe.
std::vector<PipelineModuleLayer> megatron_pipeline(const PipelineSizes& sizes);
std::vector<PipelineModuleLayer> neox_pipeline(const PipelineSizes& sizes);

/// Returns the blocks of each stage; nothing for a method that DeepSpeed does not have.
std::optional<std::vector<int>> stages_of(const std::vector<PipelineModuleLayer>& layers,
                                          const std::string& method, int stages);

/// Returns "Ett|tt|tL", as Megatron-LM has it.
std::string layout_of(const std::vector<int>& stages);

}  // namespace pipewright::deepspeed
