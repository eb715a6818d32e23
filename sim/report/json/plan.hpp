// What planners proposed as JSON, schema pipewright.plan/1.
#pragma once

#include <string>

#include "result/proposal.hpp"

namespace pipewright {

/// The document has the best proposal and all of them: times in seconds, memory in bytes. The text
/// ends with a newline.
/// The proposals as a list, each with its chance to be the fastest of them and its rank.
std::string json_text(const std::vector<Proposal>& proposals);
std::string json_text(const PlanResult& result);

}  // namespace pipewright
