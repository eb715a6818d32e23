// Ranks, or stages, that hide each other.
//
// A step waits for the second slow rank as long as for both. Of ranks, or of stages, that recover
// more together than one by one, those that it takes are one candidate.
#pragma once

#include <string>
#include <vector>

#include "diagnose/cures.hpp"

namespace pipewright::diagnose {

/// A candidate and what it recovers, in seconds: by itself, and besides what is cured by now.
struct Tried {
  Candidate candidate;
  double alone_s = 0, now_s = 0;
};

/// What recovers nothing by itself must recover this part of a step when others are cured.
inline constexpr double smallest_behind = 0.01;

/// Whether it names the tensor or context rank that is slow.
bool has_member(const std::string& who);

/// Adds one candidate for those of `all` of a kind that hide each other. What recovers is counted
/// from `now`, the trace with what is cured by now.
void join_hidden(const MeasuredJob& job, const Cures& cures, const Cured& now, CauseKind kind,
                 std::vector<Tried>& all);

}  // namespace pipewright::diagnose
