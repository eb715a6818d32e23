// Schedules built of what a user writes, for tests.
#pragma once

#include "schedule/kinds/kinds.hpp"

namespace pipewright::schedule {

/// The schedule of `spec`, which stands in "s.yaml".
inline Schedule built(const std::string& spec, const Shape& shape) {
  return build(shape, config::parse(spec, "s.yaml"));
}
inline Schedule built(const std::string& spec, int ranks, int micro_batches) {
  return built(spec, {.ranks = ranks, .micro_batches = micro_batches});
}

}  // namespace pipewright::schedule
