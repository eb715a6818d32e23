// 'replay': an experiment live beside its prediction.
#pragma once

#include "cli/command.hpp"

namespace pipewright::cli {

int run_replay(const Arguments& arguments, const Environment& environment);

}  // namespace pipewright::cli
