// Sizes that a job says beside a model that is given.
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Uses the arguments that say what `transformer` says.
void accept_given_sizes(Flags& flags, const config::Value& transformer);

/// Pads the vocabulary of `transformer` where the job says to what, and no checkpoint decides it.
void take_padding(Flags& flags, int64_t tensor, config::Value& transformer);

/// Trains `transformer` with dropout, or without, where the job says so; no checkpoint decides it.
void take_dropout(Flags& flags, config::Value& transformer);

}  // namespace pipewright::megatron
