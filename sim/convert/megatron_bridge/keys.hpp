// Keys of Megatron Bridge that are no arguments of Megatron-LM.
#pragma once

#include <span>

#include "convert/job/settings.hpp"

namespace pipewright::megatron_bridge {

std::span<const job::Key> own_keys();

}  // namespace pipewright::megatron_bridge
