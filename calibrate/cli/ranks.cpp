#include "calibrate/cli/ranks.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/tell.hpp"

namespace pipewright::cli {

void take_own_gpu() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID", "MPI_LOCALRANKID"})
    if (const char* rank = std::getenv(variable)) {
      setenv("CUDA_VISIBLE_DEVICES", rank, 0);
      return;
    }
}

void end_process(const std::string& reason) {
  tell("error: {}\n", reason);
  std::fflush(stderr);
  std::_Exit(1);
}

}  // namespace pipewright::cli
