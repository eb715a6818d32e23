// A launch script of Megatron-LM, or a list of its arguments.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::megatron {

/// Follows the script and returns the training that it starts first. Where something that only the
/// machine knows decides between unlike trainings, that is an InputError that names it.
job::Import import_script(const job::Source& source);

}  // namespace pipewright::megatron
