// A job file of torchtitan, of any of its versions.
#pragma once

#include "convert/job/job.hpp"

namespace pipewright::torchtitan {

/// `--define NGPU=N` says how many devices the job has. Throws InputError for what is no TOML, what
/// is no such job, and what matters and cannot be said.
job::Import import_job_file(const job::Source& source);

}  // namespace pipewright::torchtitan
