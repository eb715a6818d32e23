#include "base/launcher.hpp"

#include <cstdlib>

namespace pipewright {
namespace {

bool above_one(const char* variable) {
  const char* value = std::getenv(variable);
  return value && std::atoi(value) > 1;
}

}  // namespace

bool started_by_launcher() {
  // mpirun; srun --mpi=pmi2; srun --mpi=pmix, without which Slurm's tasks do not know each other.
  return above_one("OMPI_COMM_WORLD_SIZE") || above_one("PMI_SIZE") ||
         (std::getenv("PMIX_RANK") && above_one("SLURM_NTASKS"));
}

}  // namespace pipewright
