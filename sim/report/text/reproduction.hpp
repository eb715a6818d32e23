// Published claims and what comes out here, as text, JSON and CSV.
#pragma once

#include <span>
#include <string>

#include "result/reproduction.hpp"

namespace pipewright {

/// One line a claim: what it says, our figure, their ratio, the verdict. Then how many were what.
std::string claims_table(std::span<const Reproduction> papers);

/// One publication in full: every claim with its cases, assumptions and why it differs.
std::string claims_in_full(const Reproduction& paper, size_t columns);

/// The schema pipewright.reproduction/1.
std::string json_text(std::span<const Reproduction> papers);
/// One header, one line a claim.
std::string csv_text(std::span<const Reproduction> papers);

}  // namespace pipewright
