// A job of DeepSpeed: its JSON together with the launch and the model.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::deepspeed {

/// Returns what the files of a job say as an experiment. Throws InputError where they say no model
/// or no batch, and for what matters and cannot be said.
job::Import import_job(const job::Source& source);

}  // namespace pipewright::deepspeed
