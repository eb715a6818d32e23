// 'sweep' as one of many processes.
#pragma once

#include "cli/command.hpp"

namespace pipewright::cli {

int sweep_as_process(const Arguments& arguments, const Environment& environment);

}  // namespace pipewright::cli
