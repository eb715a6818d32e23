// The arguments of Megatron-LM as an experiment: what decides time and memory is translated, with
// Megatron's own defaults where an argument is missing (megatron/training/arguments.py); what
// matters and cannot be said is refused by its name.
#pragma once

#include "convert/job/job.hpp"
#include "convert/job/launch.hpp"

namespace pipewright::megatron {

/// Returns what the arguments of `launch` say. Throws InputError for an argument that is missing,
/// cannot be, hangs on what is not known, or matters and cannot be said.
job::Import translate(const job::Launch& launch, const job::Devices& devices,
                      const job::Source& source);

}  // namespace pipewright::megatron
