// Builds the work of the stages of a model: the passes of their layers, with all that the
// experiment asks of them, and what they exchange with their neighbours.
#pragma once

#include <vector>

#include "plan/staged_model.hpp"
#include "schedule/schedule.hpp"

namespace pipewright {

class StageBuilder {
 public:
  /// Builds stages of `model`, which must outlive it.
  explicit StageBuilder(const StagedModel& model) : model_(model) {}

  /// Returns the work of a stage on a whole micro-batch.
  StageWork stage(int k) const;
  /// Returns the work of all stages, by stage * slices + slice.
  std::vector<StageWork> stages(const schedule::Schedule& schedule) const;

 private:
  StageWork on_mesh(int k) const;
  void add_slices(int k, const schedule::Schedule& schedule, std::vector<StageWork>& stages) const;
  void reshard(int k, StageWork& work) const;
  bool sends_between(int k, int next) const;

  const StagedModel& model_;
};

}  // namespace pipewright
