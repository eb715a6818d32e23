// The remainder of a run whose beginning is known, as a program of its own.
#pragma once

#include <span>
#include <vector>

#include "engine/contention.hpp"
#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// The remainder of a run: op k is op `ops[k]` of the whole. It has no lanes: their order is in the
/// edges.
struct RemainingRun {
  Program program;
  std::vector<OpId> ops;       ///< ascending
  std::vector<Time> duration;  ///< by op of the rest, as all that follows
  std::vector<Span> before;    ///< latest ends of what has ended: of dependencies, and of its lanes
  Contention contention;
};

/// Returns the ops that have not ended by `until` in `spans`, of a program in which every lane is
/// in order.
RemainingRun remaining_of(const Program& program, std::span<const Time> duration,
                          const Contention& contention, std::span<const Span> spans, Time until);

}  // namespace pipewright
