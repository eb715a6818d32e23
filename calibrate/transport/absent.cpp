// Stands in for mpi.cpp where there is no MPI.
#include "base/error.hpp"
#include "calibrate/transport/mpi.hpp"

namespace pipewright::transport {

std::unique_ptr<Transport> mpi_transport() {
  throw Failure(
      "several processes were started, but this build has no MPI: install libopenmpi-dev, then "
      "'meson setup --reconfigure build' and build again");
}

}  // namespace pipewright::transport
