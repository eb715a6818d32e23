// The experts of Megatron-DeepSpeed in Megatron-LM's arguments.
#pragma once

#include <string>
#include <vector>

#include "convert/job/launch.hpp"

namespace pipewright::deepspeed {

/// Returns "num_experts" for --num-experts and for --num_experts=8; nothing for a value.
std::string fork_name_of(const job::Word& word);

/// Returns `words` with Megatron-LM's arguments for experts where they stand for
/// Megatron-DeepSpeed's.
std::vector<job::Word> with_megatrons_experts(std::vector<job::Word> words,
                                              const job::Source& source, job::Import& import);

}  // namespace pipewright::deepspeed
