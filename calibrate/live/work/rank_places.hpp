// Where the ranks of a program stand in the model that they train.
#pragma once

#include <map>

#include "calibrate/train/layers/model.hpp"
#include "program/program.hpp"

namespace pipewright::live {

class RankPlaces {
 public:
  /// Keeps both by reference. Every rank is there: none stands for others.
  RankPlaces(const Program& program, const train::StagedModel& model);

  /// Ranks that have strips of the same images stand side by side among the replicas.
  int replica(uint32_t rank) const {
    return program_.ranks[rank].data / (model_.in_strips ? model_.sharers() : 1);
  }
  /// Returns the rank's number among those that share the work of a stage.
  int sharer(uint32_t rank) const {
    return model_.in_strips ? program_.ranks[rank].data % model_.sharers()
                            : program_.ranks[rank].tensor;
  }
  /// Returns the rank's number among those that hold the same stages.
  int member(uint32_t rank) const { return replica(rank) * model_.sharers() + sharer(rank); }
  /// Returns the ranks of a collective.
  std::vector<uint32_t> ranks_of(OpId op) const;

 private:
  const Program& program_;
  const train::StagedModel& model_;
  std::map<int32_t, uint32_t> rank_of_device_;
};

}  // namespace pipewright::live
