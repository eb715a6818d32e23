// Which files a user named, and what they are.
#pragma once

#include <string>
#include <vector>

#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// Reads traces, whichever they are, and diagnoses the job that they are of. A folder stands for
/// the files in it that are called *.json, *.json.gz or *.sqlite. Throws InputError for what is no
/// trace.
Diagnosis diagnose_files(const std::vector<std::string>& named);

}  // namespace pipewright::diagnose
