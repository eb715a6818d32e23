// The ranks of one job, out of the files that profilers wrote of them.
//
// A rank stands where the groups say that its collectives name. Where they do not tell all ranks
// apart, messages do (rank_places.hpp). What is of no job with the other ranks is left out with a
// note: a file of a folder that cannot be read, a rank that alone names no group, a rank that
// shares no step with another.
#pragma once

#include <string>
#include <vector>

#include "diagnose/rank_operations.hpp"
#include "interop/flight_recorder.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

/// What is done with a file that is no trace.
enum class Unreadable : uint8_t {
  refused,
  left_out,  ///< unless all are
};

/// What is kept of a rank when its trace has been read.
struct TracedRank {
  std::string file;
  int rank = -1, world = -1;
  std::string host;     ///< see RankProfile
  double begin_us = 0;  ///< the time from which its profile counts, on its clock
  GridPlace place;
  bool communicates = false;  ///< at all
  bool names_groups = false;  ///< its collectives say who takes part
  size_t messages = 0;
  int64_t message_bytes = 0;     ///< of the largest message between stages; 0: not known
  bool overlaps_passes = false;  ///< see overlapped_pair.hpp
  RankOperations work;
  std::string expert_group;  ///< who exchanges tokens with it
  Diagnosis alone;
};

struct TracedRanks {
  std::vector<TracedRank> ranks;  ///< at least one
  bool placed_by_messages = false;
  bool lacks = false;  ///< whether ranks of the job are missing, which `notes` name
  std::vector<std::string> notes;
};

/// Reads each file, one rank or several. Throws InputError for files of several jobs, for the same
/// rank twice and for traces that share no step. Such files of a folder are left out, with a note.
/// Dumps of the flight recorder say more of the groups of their ranks (flight_names.hpp).
TracedRanks read_traced_ranks(const std::vector<std::string>& files, Unreadable unreadable,
                              const std::vector<FlightRecord>& flights = {});

}  // namespace pipewright::diagnose
