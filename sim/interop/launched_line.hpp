// Lines of a program's output as launchers and collectors of logs hand them on.
#pragma once

#include <string>
#include <string_view>

namespace pipewright::interop {

/// Returns what the program wrote: the line without colours, and without what mpirun, srun,
/// mpiexec, pdsh, containers and collectors of logs put in front of it (ranks, hosts, streams,
/// times).
std::string written_line(std::string_view line);

}  // namespace pipewright::interop
