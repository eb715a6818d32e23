// Names the shape of a kernel.
#pragma once

#include <string>

#include "workload/work.hpp"

namespace pipewright {

/// "8192x1024x4096 bf16 weight gradient"; of a kernel without a shape the bytes that it moves.
std::string shape_name(const Work& work);

}  // namespace pipewright
