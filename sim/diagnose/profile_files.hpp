// Which profiler wrote a file, and the ranks in it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "interop/nsys_processes.hpp"
#include "interop/rank_profile.hpp"

namespace pipewright::diagnose {

/// Whether a profiler of ranks wrote the file: it begins as JSON or as a database of SQLite. Throws
/// InputError for a report of Nsight Systems that has to be exported first.
bool is_rank_profile(const std::string& file);

/// The ranks in such a file: one of PyTorch, one or more of Nsight Systems, whose groups may have
/// ranks of processes `elsewhere`, too.
std::vector<RankProfile> read_rank_profiles(const std::string& file,
                                            const std::vector<NsysProcess>& elsewhere = {});

/// By file, the processes of the other files, as far as these are of Nsight Systems.
std::vector<std::vector<NsysProcess>> processes_elsewhere(const std::vector<std::string>& files);

/// Their numbers, as far as the file names them. Reads no events where it names one before them.
std::set<int> ranks_in(const std::string& file);

}  // namespace pipewright::diagnose
