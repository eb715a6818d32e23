// NAME=VALUE, NAME+=VALUE, NAME[KEY]=VALUE and NAME=(VALUE ...).
#pragma once

#include "interop/shell/expander.hpp"

namespace pipewright::shell {

/// Gives a variable of `environment` the value that `assignment` says.
void assign(const Assignment& assignment, Environment& environment, Expander& expander);

}  // namespace pipewright::shell
