// The common part of asynchronous pipelines: 1F1B over an endless stream of micro-batches without a
// flush, and which weight versions its passes read. Version k is the weights after k optimizer
// steps; a rank steps as soon as the backwards of a step's micro-batches are done on it.
#pragma once

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// Every rank, as stage i: `warm_up(i)` forwards once, then F and B in turn over all micro-batches
/// of all iterations. A step is made of `step_every` micro-batches. Versions are not set.
Schedule endless_one_f_one_b(const Shape& shape, int step_every,
                             const std::function<int(int stage)>& warm_up);
/// Returns an endless 1F1B schedule with a warm-up of p-1-i forwards, which keeps p-i micro-batches
/// in flight.
Schedule endless_one_f_one_b(const Shape& shape, int step_every);

enum class BackwardReads : uint8_t {
  stashed,  // the version that its forward read
  newest,   // the newest version when it runs
};
/// Every forward reads the newest version when it runs.
void read_newest(Schedule& schedule, BackwardReads backward);

/// Every pass reads the version that `version` gives for its micro-batch.
void read_versions(Schedule& schedule, const std::function<int(int micro_batch)>& version);

}  // namespace pipewright::schedule
