// Rows of a comparison by what they are judged by, for tests.
#pragma once

#include "result/run_result.hpp"

namespace pipewright::test {

/// A schedule that takes `us` microseconds and `memory` MiB of the 100 there are.
inline Row row(const char* name, int us, int memory) {
  pipewright::Run run;
  run.result.schedule = name;
  run.result.metrics.iteration = microseconds(us);
  RankResult rank{.capacity = 100 * MiB, .peak_in_flight = 4};
  rank.memory.activations = memory * MiB;
  run.result.metrics.ranks = {rank};
  run.result.fit.device_memory = 100 * MiB;
  run.result.fit.feasible = memory <= 100;
  return {name, std::move(run), ""};
}

/// The same, asynchronous: its gradients are `steps` late.
inline Row stale(Row row, int steps) {
  row.run->result.synchronous = false;
  row.run->result.metrics.ranks[0].staleness = steps;
  row.run->result.metrics.ranks[0].weight_versions = steps + 1;
  return row;
}

}  // namespace pipewright::test
