// The parts of blocks that configurations of most families name alike.
#pragma once

#include "workload/model/hugging_face/keys.hpp"

namespace pipewright::hugging_face {

/// Tells whether a configuration says how many experts there are, under any family's name for it.
bool says_experts(const Value& value);
/// Adds experts, latent attention, biases, a window and the form of a block.
void add_parts(const Value& value, Value& transformer);

}  // namespace pipewright::hugging_face
