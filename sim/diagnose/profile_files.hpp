// Which profiler wrote a file, and the ranks in it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "interop/rank_profile.hpp"

namespace pipewright::diagnose {

/// Whether a profiler of ranks wrote the file: it begins as JSON or as a database of SQLite. Throws
/// InputError for a report of Nsight Systems that has to be exported first.
bool is_rank_profile(const std::string& file);

/// The ranks in such a file: one of PyTorch, one or more of Nsight Systems.
std::vector<RankProfile> read_rank_profiles(const std::string& file);

/// Their numbers, as far as the file names them. Reads no events where it names one before them.
std::set<int> ranks_in(const std::string& file);

}  // namespace pipewright::diagnose
