// Dumps of PyTorch's flight recorder: the last collectives that a rank asked NCCL for.
//
// TORCH_FR_BUFFER_SIZE (in older releases TORCH_NCCL_TRACE_BUFFER_SIZE) turns it on. A dump is a
// pickle, as a watchdog or _dump_nccl_trace() writes it, or JSON, as _dump_nccl_trace_json() does.
// Of versions 2:
//
//   pg_config   by name of a process group: its description and its ranks
//   entries     in the order in which they were asked for: process_group [name, description],
//       profiling_name "nccl:all_reduce", input_sizes, input_dtypes; collective_seq_id and
//       p2p_seq_id count the launches of a group
// Entries of one launch follow one another. A dump does not say of which rank it is: its file's
// name ends with the number.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "interop/rank_profile.hpp"

namespace pipewright {

struct FlightRecord {
  std::string file;
  int rank = -1;  ///< -1: the name of the file has no number at its end
  /// By name of a process group; `name` and `bytes` are empty.
  std::map<std::string, ProfiledCollective> groups;
  std::vector<ProfiledCollective> launches;  ///< in order; `bytes` of all entries of one
};

/// Throws InputError for what is no such dump.
FlightRecord read_flight_record(const std::string& file);

/// Reads files, and those of folders whose names end with a number or with .json. Throws InputError
/// where none is a dump, and for two of one rank.
std::vector<FlightRecord> read_flight_records(const std::vector<std::string>& named);

}  // namespace pipewright
