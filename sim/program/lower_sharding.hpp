// Lowers what a rank does for weights that are cut over replicas.
#pragma once

#include <optional>
#include <set>

#include "program/lowered_rank.hpp"

namespace pipewright {

/// The part that a rank has done of its work on sharded weights. A part is a layer or what stands
/// for it.
class ShardedRank {
 public:
  ShardedRank(ProgramDraft& draft, LoweredRank& rank);

  bool has(int stage) const { return !in_.stages.empty() && !in_.stages[stage].weights.empty(); }
  /// Gathers the weights of a part before its first kernel, after what that has to wait for.
  void begin_part(int part, const schedule::Action& a);
  /// Ends a part after its last kernel. Gathered weights are given up where they are not kept.
  /// `last`: the pass completes the gradients of its stage. `turns`: its backward is next.
  void end_part(int part, const schedule::Action& a, bool last, bool turns);
  /// Makes the optimizer step wait until all gradients are reduced.
  void finish_reductions();
  /// Makes later parts gather their weights anew, for they have been stepped.
  void forget_gathered();

 private:
  /// A collective on gradients, not yet at its place in the lanes.
  struct Reduction {
    OpId op;
    Stream stream;
    std::vector<uint32_t> members;
  };
  /// One part of one pass.
  struct Run {
    int stage, part;
    std::vector<OpId> ends;  ///< by member
    std::vector<Reduction> reductions;
  };

  void wait_for_reductions(const Run& run);
  std::optional<size_t> window_of(size_t run) const;
  void gather_once(int part, const schedule::Action& a);
  void add_gathers(int part, const schedule::Action& a, std::optional<size_t> window);
  void reduce_part(const ShardTypes& types, const schedule::Action& a);
  void place_reductions(size_t runs);

  ProgramDraft& draft_;
  LoweredRank& rank_;
  const ShardedWeights& in_;
  size_t ahead_;                            ///< parts gathered ahead of the one that computes
  size_t held_;                             ///< parts whose gradients are whole
  std::vector<Run> runs_;                   ///< since the last optimizer step
  size_t next_ = 0;                         ///< run whose reductions are the next to be placed
  std::vector<OpId> stepped_;               ///< by member: the last optimizer step
  std::set<std::pair<int, int>> gathered_;  ///< stage and part
};

}  // namespace pipewright
