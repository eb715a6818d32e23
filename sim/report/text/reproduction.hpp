// Published claims and what comes out here, for a terminal.
#pragma once

#include <span>
#include <string>

#include "result/reproduction.hpp"

namespace pipewright {

/// The table has one line a claim: what it says, our figure, their ratio, the verdict. Then it says
/// how many were what.
std::string claims_table(std::span<const Reproduction> papers);

/// The text has one publication in full, on lines of at most `columns`: every claim with its cases,
/// its assumptions and why it differs.
std::string claims_in_full(const Reproduction& paper, size_t columns);

}  // namespace pipewright
