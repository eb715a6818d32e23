// Kernels that take longer while the device communicates: collectives take multiprocessors, caches
// and memory bandwidth from them.
#pragma once

#include <vector>

#include "diagnose/candidates.hpp"
#include "diagnose/device_program.hpp"

namespace pipewright::diagnose {

/// Compares kernels of one name between the same two neighbours, so of one shape, where
/// communication runs beside them with those where none does. The cure divides by how many times as
/// long they take. Returns at most one candidate.
std::vector<Candidate> beside_communication(const DeviceProgram& program, const DeviceWork& work);

}  // namespace pipewright::diagnose
