// Which keys of a study change nothing.
#pragma once

#include <string>
#include <vector>

#include "report/ranking/sweep.hpp"

namespace pipewright {

/// Returns the places in SweepCandidate::settings of those keys whose value alone changes none of
/// the objectives: at least two runs differ in nothing else, and all such runs have the same
/// objectives.
std::vector<size_t> idle_keys(const std::vector<SweepCandidate>& candidates);

}  // namespace pipewright
