// 'calibrate': measure the kernels of this machine, fit them, write a profile.
#pragma once

#include "cli/command.hpp"

namespace pipewright::cli {

int calibrate(const Arguments& arguments, const Environment& environment);

}  // namespace pipewright::cli
