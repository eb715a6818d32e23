// Tells whether this process is one of many.
#pragma once

namespace pipewright {

/// Tells whether this process is one of several that mpirun or srun started, as its environment
/// tells.
bool started_by_launcher();

}  // namespace pipewright
