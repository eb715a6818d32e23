// Megatron-LM's --pipeline-model-parallel-layout: stages in model order, separated by '|'. In a
// stage E is the embedding, t a decoder layer, m a multi-token prediction layer, L the loss;
// "x*n" and "(...)*n" repeat; commas mean nothing. "Et*3|(tt|)*29,m|L" has 32 stages.
#pragma once

#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace pipewright {

/// Decoder layers of each stage. Throws InputError at `where` for what is no layout.
std::vector<int> read_megatron_layout(std::string_view text, const Where& where);

}  // namespace pipewright
