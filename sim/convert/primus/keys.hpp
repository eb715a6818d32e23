// Keys of Primus that are no arguments of Megatron-LM.
#pragma once

#include <span>

#include "convert/job/settings.hpp"

namespace pipewright::primus {

std::span<const job::Key> own_keys();

}  // namespace pipewright::primus
