// What this program is: version, commit, compiler and options of the build.
#pragma once

#include <string>

namespace pipewright::cli {

/// "pipewright 0.1.0 (39d484c, gcc 12.2.0, release, with MPI and Python)"
std::string version_line();

}  // namespace pipewright::cli
