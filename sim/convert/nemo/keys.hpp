// Keys of NeMo 1 that are no arguments of Megatron-LM.
#pragma once

#include <span>

#include "convert/job/settings.hpp"
#include "convert/megatron/document.hpp"

namespace pipewright::nemo {

std::span<const job::Key> own_keys();
/// Keys of `model` that have other names than Megatron-LM's arguments.
std::span<const megatron::Alias> aliases();

}  // namespace pipewright::nemo
