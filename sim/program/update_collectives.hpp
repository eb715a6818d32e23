// Lowers the collectives that end an iteration.
#pragma once

#include "program/update_groups.hpp"

namespace pipewright {

class UpdateCollectives {
 public:
  UpdateCollectives(ProgramDraft& draft, const Updates& updates, UpdateEndsOf& ends)
      : draft_(draft), updates_(updates), ends_(ends) {}

  /// Reduces the gradients of a stage over its replicas.
  void reduce(int step, int stage);
  /// Sums the gradients of the embedding's weights over the stages that read them.
  void tie_embeddings(int step);
  /// Adds one all-reduce over all devices, between the gradients and every step.
  void validate(int step);
  /// Gathers the updated weights of a stage where they are sharded.
  void gather(int step, int stage);

 private:
  void reduce_group(int step, int stage, const UpdateGroup& group, const UpdateTypes& types);
  void gather_group(int step, int stage, const UpdateGroup& group, const UpdateTypes& types);
  OpId add(uint32_t type, int step, const UpdateGroup& members, std::vector<int32_t> devices);
  bool have_like_meshes(const std::vector<UpdateGroup>& copies) const;
  void sum_over_meshes(uint32_t type, int step, const std::vector<UpdateGroup>& copies);
  void add_before_step(uint32_t type, int step, const UpdateGroup& members,
                       std::vector<int32_t> devices);
  UpdateEnds& ends_of(int step, int stage, const CompletedMember& member) {
    return ends_[{step, stage, draft_.program_rank(member.rank, member.member)}];
  }

  ProgramDraft& draft_;
  const Updates& updates_;
  UpdateEndsOf& ends_;
};

}  // namespace pipewright
