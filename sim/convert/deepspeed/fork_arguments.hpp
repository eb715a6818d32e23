// The arguments that forks of Megatron-LM for DeepSpeed add to it.
#pragma once

#include "convert/job/launch.hpp"

namespace pipewright::deepspeed {

/// Tells whether arguments are there that only the forks have.
bool has_forks_arguments(const job::Launch& launch);

/// Returns `launch` with Megatron-LM's arguments only: what the forks call otherwise is renamed,
/// and what they add is noted in `import`, or refused.
job::Launch without_forks_arguments(job::Launch launch, const job::Source& source,
                                    job::Import& import);

}  // namespace pipewright::deepspeed
