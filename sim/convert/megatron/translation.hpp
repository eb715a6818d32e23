// The arguments of Megatron-LM as an experiment: what decides time and memory is translated, with
// Megatron's own defaults where an argument is missing (megatron/training/arguments.py); what
// matters and cannot be said is refused by its name.
#pragma once

#include "convert/job/job.hpp"
#include "convert/job/launch.hpp"

namespace pipewright::megatron {

/// Returns what the arguments of `launch` say. Throws InputError for an argument that is missing,
/// cannot be, hangs on what is not known, or matters and cannot be said.
/// `transformer` is the model where the user gives it beside the arguments: these may say another
/// number of layers then, and no further size.
job::Import translate(const job::Launch& launch, const job::Devices& devices,
                      const job::Source& source,
                      const std::optional<config::Value>& transformer = std::nullopt);

}  // namespace pipewright::megatron
