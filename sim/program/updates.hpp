// What ends an iteration, as it is noted while ranks are lowered: whose gradients are complete
// when, and which ops make the optimizer step. Its ops are added when all ranks are there.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "program/program_draft.hpp"

namespace pipewright {

/// A member that has the gradients of a stage for an optimizer step.
struct CompletedMember {
  int rank;
  uint32_t member;
  std::vector<OpId> ops;  ///< by reduction: what completes its gradients
};

/// The optimizer step of one simulated rank.
struct StepOps {
  OpId before = none;
  std::vector<OpId> ops;
  std::map<int, OpId> differences, outer;  ///< of an outer step, by stage
  OpId outer_end = none;                   ///< where what follows waits for its weights
};

class Updates {
 public:
  explicit Updates(const ProgramDraft& draft) : draft_(draft) {}

  /// The gradients of `stage` for optimizer step `step` are complete on a member of `rank`: those
  /// of its reduction k once `ops[k]` has ended.
  void gradients_complete(int step, int stage, int rank, uint32_t member, std::vector<OpId> ops);
  /// `op` is the last before the member's step.
  void all_complete(int step, int rank, uint32_t member, OpId op);
  /// The op types that make the step on `rank`, in order; empty where nothing is to be done.
  std::vector<uint32_t> step_types(int step, int rank) const;
  /// `op` is the next of them.
  void stepped(int step, int rank, uint32_t member, OpId op);

  /// Returns the stages of `rank`, in the order in which their gradients are complete.
  const std::vector<int>& stages_on(int step, int rank) const { return stages_.at({step, rank}); }
  /// The outer step that the member makes after its step, if it makes one.
  StepOps& outer_step_of(int step, int rank, uint32_t member) {
    return steps_[{step, draft_.program_rank(rank, member)}];
  }

  /// Returns how many optimizer steps were noted.
  int steps() const { return completed_.empty() ? 0 : completed_.rbegin()->first.first + 1; }
  /// Returns the members that hold a stage.
  const std::vector<CompletedMember>& completed(int step, int stage) const {
    return completed_.at({step, stage});
  }
  const StepOps& step_of(int step, const CompletedMember& member) const {
    return steps_.at({step, draft_.program_rank(member.rank, member.member)});
  }

 private:
  /// Updated weights arrive after the device's own part of the step.
  bool awaits_weights(int step, int rank) const;

  const ProgramDraft& draft_;
  std::map<std::pair<int, int>, std::vector<CompletedMember>> completed_;  ///< by step and stage
  std::map<std::pair<int, uint32_t>, StepOps> steps_;       ///< by step and simulated rank
  std::map<std::pair<int, int>, std::vector<int>> stages_;  ///< by step and rank
};

/// The ends that one member of a stage has of its own beside what it does with others.
struct UpdateEnds {
  std::vector<std::vector<OpId>> reduced;  ///< by part of the gradients
  OpId updated = none;                     ///< by the host: the last copy of weights
};

/// They are found by optimizer step, stage and simulated rank.
using UpdateEndsOf = std::map<std::tuple<int, int, uint32_t>, UpdateEnds>;

/// Adds what ends every iteration to the draft: gradients reduced over the replicas, weights
/// stepped, and gathered again where they are sharded.
void connect_updates(ProgramDraft& draft, const Updates& updates);

}  // namespace pipewright
