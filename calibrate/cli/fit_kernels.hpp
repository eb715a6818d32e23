#pragma once

#include "cli/command.hpp"

namespace pipewright::cli {

int fit_kernels(const Arguments& arguments, const Environment& environment);

}  // namespace pipewright::cli
