// Checks that every rank has a GPU of its own.
#pragma once

#include <string>

#include "calibrate/transport/session.hpp"

namespace pipewright::live {

/// The facts that a rank has to tell before it runs on a GPU.
struct OwnGpu {
  std::string host_id;  ///< by which the rank tells its host from others of that name, if it does
  std::string id;       ///< of its GPU
  std::string problem;  ///< why it has none, or cannot reach others; empty if all is well
};

/// Returns in one line why the ranks cannot run on GPUs; empty if they can. All ranks call it
/// together and get the same.
std::string gpu_problem(transport::Session& session, const OwnGpu& own);

}  // namespace pipewright::live
