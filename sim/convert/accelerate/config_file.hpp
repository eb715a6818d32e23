// A configuration of Hugging Face's accelerate (YAML).
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::accelerate {

/// The configuration says devices and sharding. The model is given beside it, and what the program
/// takes as arguments (per_device_train_batch_size, max_seq_length and others of transformers') by
/// --define. Throws InputError for what is no such configuration, and for what matters and cannot
/// be said.
job::Import import_config(const job::Source& source);

}  // namespace pipewright::accelerate
