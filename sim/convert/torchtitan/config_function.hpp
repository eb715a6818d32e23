// A configuration of torchtitan since February 2026, which is a function in Python.
#pragma once

#include "convert/job/settings.hpp"

namespace pipewright::torchtitan {

/// The --define that says whose models a function is about.
inline constexpr std::string_view module_of_function = "MODULE";

/// Reads the function that --define CONFIG=NAME says, or the only one. `--define NGPU=N` says how
/// many devices the job has, `--define MODULE=NAME` whose models these are where the file does not
/// lie in their folder. Throws InputError for what is no such program, and for what matters and
/// cannot be said.
job::Import import_config_function(const job::Source& source);

}  // namespace pipewright::torchtitan
