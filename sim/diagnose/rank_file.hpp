// The ranks of one file of a profiler, each diagnosed by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "diagnose/traced_ranks.hpp"
#include "interop/flight_recorder.hpp"
#include "interop/nsys_processes.hpp"

namespace pipewright::diagnose {

/// What a file says, or why nothing can be said of it.
struct RankFile {
  std::vector<TracedRank> ranks;
  std::vector<std::string> notes;
  std::vector<size_t> used_flights;  ///< places of dumps that are of its ranks
  std::optional<InputError> error;
};

/// Reads a file; `error` stays empty. Dumps of the flight recorder say more of the groups of their
/// ranks (flight_names.hpp), and processes `elsewhere` of groups that span files of Nsight Systems.
/// Throws InputError where the file is no trace.
RankFile read_rank_file(const std::string& file, const std::vector<FlightRecord>& flights,
                        const std::vector<NsysProcess>& elsewhere);

}  // namespace pipewright::diagnose
