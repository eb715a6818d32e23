// What PyTorch's flight recorder knows of the collectives in a profile: groups, ranks and sizes.
//
// A kernel that names its process group gets the ranks and the description of the group. Kernels
// that name none, as those before PyTorch 2.1 and those that other libraries launch, are joined to
// the launches of the dump by their order: the sequence of kinds, as the names of kernels say them
// ("AllReduce", "SendRecv"), must stand in the dump. Where it stands in several places, the
// launches must be alike in all of them, as those of equal steps are.
#pragma once

#include <string>

#include "interop/flight_recorder.hpp"

namespace pipewright::diagnose {

/// Completes the collectives of `profile`. Returns what could not be done, and why; empty: nothing.
std::string name_by_flight(const FlightRecord& record, RankProfile& profile);

}  // namespace pipewright::diagnose
