// What the keys of DeepSpeed's configuration are here that nobody asks for, and what arguments of
// programs are that train with it.
#pragma once

#include <span>

#include "convert/job/settings.hpp"

namespace pipewright::deepspeed {

std::span<const job::Key> config_keys();

/// The arguments of transformers' Trainer, and of others by their name.
std::span<const job::Key> argument_keys();

}  // namespace pipewright::deepspeed
