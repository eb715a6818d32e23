// A configuration of Primus, whose trainer is Megatron-LM's.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::primus {

/// Returns what the trainer's overrides say over the presets that they rest on. Throws InputError
/// for a preset that cannot be read, and for what matters and cannot be said.
job::Import import_config(const job::Source& source);

}  // namespace pipewright::primus
