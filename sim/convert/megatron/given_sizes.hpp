// Sizes that a job says beside a model that is given.
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Uses the arguments that say what `transformer` says.
void accept_given_sizes(Flags& flags, const config::Value& transformer);

}  // namespace pipewright::megatron
