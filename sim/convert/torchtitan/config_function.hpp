// A configuration of torchtitan since February 2026, which is a function in Python.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// Reads the function that --define CONFIG=NAME says, or the only one. `--define NGPU=N` says how
/// many devices the job has, `--define MODULE=NAME` whose models these are where the file does not
/// lie in their folder. Throws InputError for what is no such program, and for what matters and
/// cannot be said.
job::Import import_config_function(const job::Source& source);

/// Returns the document of a function with the keys of the job files before it. Its notes go to
/// `import`.
config::Value job_file_of(const config::Value& function, const job::Source& source,
                          job::Import& import);

}  // namespace pipewright::torchtitan
