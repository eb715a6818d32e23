// The messages, collectives and copies that each rank takes part in, and what its host computes
// for it.
#pragma once

#include <span>
#include <vector>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// Tells whether a host computes `op`, as the optimizer step of weights that it keeps.
bool runs_on_host(const Program& program, OpId op);

/// Returns what `op` communicates for. What a host computes stands between the copies to and from
/// it.
Traffic traffic_of(const Program& program, OpId op);

/// By rank, the ops of communication in which it takes part, in the order in which they start.
class Participants {
 public:
  Participants(const Program& program, const Timeline& timeline);

  std::span<const OpId> of(uint32_t rank) const {
    return {ops_.data() + offset_[rank], ops_.data() + offset_[rank + 1]};
  }

 private:
  std::vector<uint32_t> offset_;
  std::vector<OpId> ops_;
};

}  // namespace pipewright
