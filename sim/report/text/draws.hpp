// Times that are medians of draws.
#pragma once

#include <string>

namespace pipewright {

/// Returns the line that says so; empty where nothing is drawn.
std::string draws_line(int seeds);

}  // namespace pipewright
