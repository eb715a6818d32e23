// Profiles of the ranks of one job.
#pragma once

#include <string>
#include <vector>

#include "diagnose/diagnose.hpp"
#include "diagnose/traced_ranks.hpp"

namespace pipewright::diagnose {

/// What is known of a job besides its traces.
struct KnownBesides {
  KnownLayers layers;
  std::vector<FlightRecord> flights;  ///< dumps of ranks
};

/// Diagnoses a job of which each file is one rank or, of Nsight Systems, several. Ranks are held
/// against each other as operations of passes (rank_operations.hpp); what a host and a
/// communication cost within a rank is said of the rank of which it is the median. One rank is
/// diagnosed by itself. Layers that are not known are counted in the kernels of the ranks. Throws
/// InputError as read_traced_ranks() does.
Diagnosis diagnose_ranks(const std::vector<std::string>& files, const std::string& source,
                         const KnownBesides& known = {},
                         Unreadable unreadable = Unreadable::refused);

}  // namespace pipewright::diagnose
