// A job file of torchtitan, of any of its versions.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// `--define NGPU=N` says how many devices the job has. Throws InputError for what is no TOML, what
/// is no such job, and what matters and cannot be said.
job::Import import_job_file(const job::Source& source);

/// Returns the experiment of a document that has torchtitan's keys, added to the notes of `import`.
/// `keys` tells what those are that do not decide it.
job::Import import_document(config::Value document, const job::Source& source,
                            std::span<const job::Key> keys, job::Import import);

}  // namespace pipewright::torchtitan
