// The constants of a model that arguments of Megatron-LM say.
#pragma once

#include "convert/megatron/flags.hpp"

namespace pipewright::megatron {

/// Returns the `constants` of a model that has `transformer`; null where the arguments say none.
config::Value read_constants(Flags& flags, const config::Value& transformer);

}  // namespace pipewright::megatron
