// Models on the grids that their experiments ask for.
#pragma once

#include "machine/machine.hpp"
#include "plan/staged_model.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {

/// Two stages of eight tensor ranks each.
inline constexpr const char* two_stages = "parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n";

/// Two stages on eight GPUs each: of eight tensor ranks, and of four in two replicas.
inline config::Value unlike_stages() {
  return small_gpt(
      "strategy:\n"
      "  - {layers: 0-3, devices: 0-7, mesh: [1, 8], tensor: 8, data: 1}\n"
      "  - {layers: 4-7, devices: 8-15, mesh: [2, 4], tensor: 4, data: 2}\n"
      "schedule: 1f1b\n");
}

/// A model on its grid, with the machine that it refers to.
struct ModelJob {
  explicit ModelJob(const config::Value& document)
      : machine(read_machine(read_experiment(document), config::Catalogue{})),
        grid(model_on_grid(read_experiment(document), machine)) {}
  ModelJob(const ModelJob&) = delete;

  /// Returns the model in so many stages, which go round the ranks.
  StagedModel cut(int stages) {
    const StagePlacement placement(grid.grid.pipeline());
    return {grid, placement, cut_into_stages(grid, placement, stages), {}};
  }

  Machine machine;
  ModelOnGrid grid;
};

}  // namespace pipewright::test
