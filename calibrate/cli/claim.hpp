#pragma once

#include "cli/command.hpp"

namespace pipewright::cli {

int print_claim(const Arguments& arguments, const Environment& environment);

}  // namespace pipewright::cli
