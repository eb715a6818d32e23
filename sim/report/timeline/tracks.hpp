// The rows that a timeline is shown in: for each rank its streams, then what it sends to each peer.
//
// Transfers that hold no stream may overlap; then the sends to one peer take several tracks, as few
// as will do. Ops that take no time are left out, so that no two of a track overlap.
#pragma once

#include <string>
#include <vector>

#include "result/run_result.hpp"

namespace pipewright {

struct ReportTrack {
  uint32_t rank = 0;
  std::string name;
  std::vector<OpId> ops;  ///< in order of their starts
};

/// The tracks are streams in the order of the program's lanes, then sends by sender and receiver.
std::vector<ReportTrack> report_tracks(const Run& run);

/// The name is "rank 3"; where a rank of the pipeline is several of the program, it has what tells
/// them apart.
std::string rank_name(const Run& run, uint32_t rank);

/// A run of traffic has flows between devices, and no ranks.
bool is_traffic(const Run& run);

/// A run of a trace has ops with names of their own, which belong to no pass of a schedule.
bool is_trace(const Run& run);

/// The word says what an op does ("forward", "step") or what a communication is for ("tensor").
const char* category_of(const Run& run, const OpType& type);

/// Tells whether ops of the type count optimizer steps, not micro-batches.
bool ends_iteration(const OpType& type);

}  // namespace pipewright
