// A job of Megatron-DeepSpeed: the arguments are Megatron-LM's, and DeepSpeed cuts and steps.
#pragma once

#include "convert/deepspeed/documents.hpp"

namespace pipewright::deepspeed {

/// Tells whether the program's arguments say the sizes of a model as Megatron-LM's do.
bool is_megatron(const Documents& documents);

/// Returns what the arguments say, with what the configuration says of numbers and ZeRO.
job::Import import_megatron(Documents& documents, const job::Source& source);

/// Returns `launch` with Megatron-LM's arguments where they are those of Megatron-DeepSpeed, which
/// trains without DeepSpeed too.
job::Launch with_megatrons_arguments(job::Launch launch, const job::Source& source,
                                     job::Import& notes);

}  // namespace pipewright::deepspeed
