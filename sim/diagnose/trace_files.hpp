// Which files a user named, and what they are.
#pragma once

#include <string>
#include <vector>

#include "diagnose/diagnose_ranks.hpp"

namespace pipewright::diagnose {

/// Reads traces, whichever they are, and diagnoses the job that they are of. A folder stands for
/// the files in it that are called *.json, *.json.gz or *.sqlite. Throws InputError for what is no
/// trace, and for dumps of ranks beside what is no profile of ranks.
Diagnosis diagnose_files(const std::vector<std::string>& named, const KnownBesides& known = {});

/// Traces of a job, and of an earlier run of it.
struct NamedRuns {
  std::vector<std::string> before;  ///< empty: there is none
  std::vector<std::string> after;
};

/// Two tables, two folders, or two files that hold the same rank are two runs, the first of them
/// the earlier. Anything else is one run.
NamedRuns runs_of(const std::vector<std::string>& named);

}  // namespace pipewright::diagnose
