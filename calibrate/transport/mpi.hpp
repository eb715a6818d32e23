// Ranks as processes that mpirun or srun started.
#pragma once

#include "calibrate/transport/transport.hpp"

namespace pipewright::transport {

/// Leaves SIGCONT and SIGTERM, by which a launcher ends the other ranks when one has died, to
/// sessions. To be called before any thread is started.
void keep_termination_pending();

/// Returns the transport over MPI; to be called once, before any thread is started. Throws Failure
/// where this build has no MPI.
std::unique_ptr<Transport> mpi_transport();

}  // namespace pipewright::transport
