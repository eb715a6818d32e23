// Schedules by what a user writes of them.
#pragma once

#include <string>

#include "schedule/kinds/kinds.hpp"

namespace pipewright::test {

/// The schedule that `spec` says, for `p` ranks and `m` micro-batches an iteration.
inline schedule::Schedule built(const std::string& spec, int p, int m, int iterations = 1) {
  return schedule::build({.ranks = p, .micro_batches = m, .iterations = iterations},
                         config::parse(spec, "spec"));
}

}  // namespace pipewright::test
