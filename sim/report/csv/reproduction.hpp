// Published claims and what comes out here as CSV.
#pragma once

#include <span>
#include <string>

#include "result/reproduction.hpp"

namespace pipewright {

/// The file has a header and one line a claim. Ratios say how many times better the system is than
/// its baseline; the ratio is empty where a claim could not be put to the test.
std::string csv_text(std::span<const Reproduction> papers);

}  // namespace pipewright
