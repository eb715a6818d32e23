// Stands in for mpi.cpp where there is no MPI: no session of several ranks begins there.
#include "base/error.hpp"
#include "calibrate/collectives/communicator.hpp"

namespace pipewright::calibration {

std::unique_ptr<Communicators> mpi_communicators(transport::Session&) {
  throw Failure("this build has no MPI");
}

}  // namespace pipewright::calibration
