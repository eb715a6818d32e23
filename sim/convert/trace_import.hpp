// Another tool's trace as an experiment that runs it.
#pragma once

#include <string>

#include "interop/goal.hpp"

namespace pipewright::convert {

/// Returns `file` as it is called from the folder of `out`; "-" is no file.
std::string path_from(const std::string& out, const std::string& file);

/// The experiment `trace: {FORM: FILE}` as YAML, on as many devices as the trace has ranks, once
/// the trace is known to be sound. `file` is named as it is called from the folder of `out`.
std::string experiment_of_trace(const goal::Goal& goal, const char* form, const std::string& file,
                                const std::string& out);

}  // namespace pipewright::convert
