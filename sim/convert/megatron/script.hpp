// A launch script of Megatron-LM, or a list of its arguments.
#pragma once

#include "convert/job/launch.hpp"

namespace pipewright::megatron {

/// Follows the script and returns the training that it starts first. Where something that only the
/// machine knows decides between unlike trainings, that is an InputError that names it.
/// `prepare` makes Megatron-LM's arguments of a fork's, and notes what it leaves out.
using Prepare = job::Launch (*)(job::Launch, const job::Source&, job::Import&);
job::Import import_script(const job::Source& source, Prepare prepare = nullptr);

}  // namespace pipewright::megatron
