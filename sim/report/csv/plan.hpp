// What planners proposed as CSV.
#pragma once

#include <string>

#include "result/proposal.hpp"

namespace pipewright {

/// The file has a header and one line a proposal: times in seconds, memory in bytes. Search times
/// are left out, so that the same plans give the same bytes.
std::string csv_text(const PlanResult& result);

}  // namespace pipewright
