// The weights that ranks hold while they train, with their gradients and optimizers.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "calibrate/live/work/rank_places.hpp"
#include "calibrate/live/work/trained_parts.hpp"
#include "calibrate/train/reference/stage_state.hpp"

namespace pipewright::live {

class RankStates {
 public:
  struct Job {
    const Program& program;
    const schedule::Schedule& schedule;
    const train::StagedModel& model;
    const train::Training& training;
  };

  /// Holds the states of all ranks, or of one. Keeps what it is given by reference.
  RankStates(const Job& job, const RankPlaces& places, kernels::Kernels& kernels,
             std::optional<uint32_t> only);

  train::StageState& of(uint32_t rank, int stage) { return *states_.at({rank, stage}); }
  uint32_t first_rank() const { return states_.begin()->first.first; }
  /// Steps the weights of a stage.
  void step(uint32_t rank, int stage, int number);
  /// Returns what the collective `op` sums up: the gradient of one stage on all devices of its
  /// group, or the tied table's on the rank of the first stage and on that of the last.
  std::vector<train::Tensor> gradients_of(OpId op);
  /// Returns what one rank brings to it.
  train::Tensor gradient_of(OpId op, uint32_t rank);
  /// Every part becomes the sum of all.
  void sum(const std::vector<train::Tensor>& parts);
  /// Tells whether `op` sums the tied table's gradients over two meshes that are not alike.
  bool ties_unlike_meshes(OpId op) const;
  /// Returns the whole table with what `rank` alone brings to that sum, and zeros.
  kernels::Array tied_share(OpId op, uint32_t rank);
  /// Gives `rank` its part of the sum.
  void take_tied(OpId op, uint32_t rank, const train::Tensor& sum);
  /// Makes such a sum for all ranks.
  void sum_tied(OpId op);
  /// Appends the weights of all states.
  void add_weights(TrainedParts& parts) const;

 private:
  using Place = std::pair<uint32_t, int>;  ///< rank and stage

  int last_stage() const { return static_cast<int>(job_.model.stages.size()) - 1; }
  std::map<Place, std::vector<int>> count_reads(std::optional<uint32_t> only) const;
  void share_tied_on_rank(uint32_t rank, int number);
  bool has_first(uint32_t rank) const { return states_.contains({rank, 0}); }
  train::Tensor tied_of(OpId op, uint32_t rank);
  train::Tensor place_in(const train::Tensor& table, uint32_t rank) const;
  train::Tensor tied_first(uint32_t rank, int number);
  train::Tensor tied_last(uint32_t rank, int number);

  Job job_;
  const RankPlaces& places_;
  kernels::Kernels& kernels_;
  train::TiedTable tied_first_, tied_last_;  ///< the parts that ranks of the two stages have
  bool tied_by_collective_ = false;
  std::vector<int> tied_steps_;  ///< by rank: steps whose tied gradients were summed there
  std::map<Place, std::unique_ptr<train::StageState>> states_;
};

}  // namespace pipewright::live
