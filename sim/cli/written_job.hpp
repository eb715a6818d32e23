// An experiment as a file of another tool, with what the user is to know of it.
#pragma once

#include "convert/formats/format.hpp"

namespace pipewright::cli {

/// Writes it, and prints to the standard error what of the experiment the file does not say.
void write_as(const convert::Format& format, convert::ExportRequest request);

/// Returns what an import said of the job that `experiment`, a file, was: what it takes otherwise
/// and what it leaves out, but for an assumption that `assignments` (--set) take back. Empty for
/// what is no file of an import.
std::vector<std::string> notes_of_import(const std::string& experiment,
                                         const std::vector<std::string>& assignments);

/// Returns what such a job said beside its experiment, by its format (convert/job/carried.hpp).
config::Value carried_by_import(const std::string& experiment);

/// Returns both as the comments at the head of an experiment that came of `experiment`.
std::string head_of_import(const std::string& experiment,
                           const std::vector<std::string>& assignments);

}  // namespace pipewright::cli
