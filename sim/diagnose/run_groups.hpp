// The groups of a trace of our own whose ranks wait for each other within passes.
//
// Of tensor and context ranks one stands for all (tensor_ranks.hpp): context ranks of one replica
// follow one another, and count as tensor ranks. Data ranks that gather weights or sum gradients
// within passes go through these together, and so do those that exchange tokens with experts.
#pragma once

#include <string>
#include <vector>

#include "diagnose/tensor_ranks.hpp"
#include "interop/run_trace.hpp"
#include "result/diagnosis.hpp"

namespace pipewright::diagnose {

class RunGroups {
 public:
  /// `longer`: by slice of the trace, so much longer it computes because of what goes beside it,
  /// which makes no rank slow; empty: by nothing.
  explicit RunGroups(const RunTrace& trace, const std::vector<Time>& longer = {});

  const RunTraceRank& place_of(size_t rank) const { return places_[rank]; }
  /// Whether it is the one of its tensor and context group that is looked at.
  bool stands_for_all(size_t rank) const { return stands_[rank]; }
  /// The sizes of tensor, context and expert groups, however few of their ranks are shown.
  const FoundParallelism& degrees() const { return degrees_; }
  std::vector<std::string> notes() const { return notes_on_groups(ranks_, degrees_.context); }
  std::vector<SlowMember> slow_members() const;

  /// So many data ranks that follow one another gather weights together or, where nothing is
  /// gathered, sum gradients; at least one. Groups that gather wait for each other where they sum
  /// what each has (HSDP): then it is all of them.
  int sharing_weights() const;
  /// So many exchange tokens with each other; at least one.
  int sharing_experts() const;
  /// So many data ranks, itself included, does the rank stand for.
  int replicas_of(size_t rank) const;

 private:
  void find_degrees(const RunTrace& trace);
  void find_standing(const RunTrace& trace, const std::vector<Time>& longer);

  FoundParallelism degrees_;
  int gathering_ = 0, summing_ = 0;  ///< devices of the largest such group
  int copies_ = 1;                   ///< of what is gathered, that are summed
  std::vector<RunTraceRank> places_;
  std::vector<TensorRank> ranks_;
  std::vector<bool> stands_;
  int folded_ = 1;  ///< tensor ranks that stand in the trace as one
};

}  // namespace pipewright::diagnose
