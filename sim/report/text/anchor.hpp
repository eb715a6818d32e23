// A fitted anchor, for a terminal.
#pragma once

#include <string>

#include "result/anchor.hpp"

namespace pipewright {

/// The text has the factors, each with its doubt, and the runs that they were fitted to.
std::string anchor_text(const AnchorFit& fit);

}  // namespace pipewright
