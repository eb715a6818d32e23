// What a function of torchtitan makes, as a job file has it.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Returns the document of a function with the keys of the job files before it. Its notes go to
/// `import`.
config::Value job_file_of(const config::Value& function, const job::Source& source,
                          job::Import& import);

}  // namespace pipewright::torchtitan
