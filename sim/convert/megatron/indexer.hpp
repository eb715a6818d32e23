// Attention that sees the keys which an indexer chooses (DeepSeek sparse attention), as
// Megatron-Core says it: megatron/core/transformer/experimental_attention_variant/dsa.py.
#pragma once

#include "convert/megatron/argument_lines.hpp"
#include "convert/megatron/flags.hpp"
#include "experiment/experiment.hpp"

namespace pipewright::megatron {

/// Sets `indexer` in the attention of `transformer`, which has `layers` blocks, where the arguments
/// ask for one. Refuses other variants of attention.
void read_indexer(Flags& flags, int64_t layers, config::Value& transformer);

/// Writes the indexer of the model; nothing without one, or where blocks share choices otherwise
/// than every so many of them. Throws InputError where a pipeline rank would begin with a shared
/// choice.
void write_indexer(const Experiment& e, ArgumentLines& out);

}  // namespace pipewright::megatron
