// Lowers what ends an iteration: gradients reduced over the replicas, weights stepped, and gathered
// again where they are sharded. Collected while ranks are lowered, connected when all are there.
#pragma once

#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "program/grid_groups.hpp"
#include "program/op_types.hpp"

namespace pipewright {

/// The lanes of a simulated rank.
class LaneSet {
 public:
  explicit LaneSet(const LoweringInput& input);
  const std::vector<Stream>& streams() const { return streams_; }
  LaneId lane(uint32_t program_rank, Stream stream) const {
    return program_rank * static_cast<uint32_t>(streams_.size()) +
           place_[static_cast<size_t>(stream)];
  }

 private:
  std::vector<Stream> streams_;
  std::array<uint32_t, stream_kinds> place_{};
};

class Updates {
 public:
  Updates(const LoweringInput& input, const OpTypes& types,
          const std::vector<SimulatedMesh>& meshes);

  /// The gradients of `stage` for optimizer step `step` are complete on a member of `rank`: those
  /// of its reduction k once `ops[k]` has ended.
  void gradients_complete(int step, int stage, int rank, uint32_t member, std::vector<OpId> ops);
  /// `op` is the last before the member's step.
  void all_complete(int step, int rank, uint32_t member, OpId op);
  /// The op types that make the step on `rank`, in order; empty where nothing is to be done.
  std::vector<uint32_t> step_types(int step, int rank) const;
  /// `op` is the next of them.
  void stepped(int step, int rank, uint32_t member, OpId op);
  void connect(ProgramBuilder& builder);

 private:
  struct Step {
    OpId before = none;
    std::vector<OpId> ops;
  };
  struct Completed {
    int rank;
    uint32_t member;
    std::vector<OpId> ops;  ///< by reduction
  };

  uint32_t simulated_rank(int rank, uint32_t member) const {
    return meshes_[static_cast<size_t>(rank)].first + member;
  }
  const Step& step_of(int step, const Completed& member) const {
    return steps_.at({step, simulated_rank(member.rank, member.member)});
  }
  /// Updated weights arrive after the device's own part of the step.
  bool awaits_weights(int step, int rank) const;
  int key(const Completed& member, Axis axis) const;
  /// The members of a stage's groups along `axis`: of those that hold the same weights.
  std::vector<std::vector<Completed>> groups(const std::vector<Completed>& completed,
                                             Axis axis) const;
  std::vector<int32_t> devices(const std::vector<Completed>& group, Axis axis) const;
  uint32_t tensor_rank(const Completed& member) const {
    return member.member % static_cast<uint32_t>(meshes_[static_cast<size_t>(member.rank)].tensor);
  }
  OpId add_collective(ProgramBuilder& builder, uint32_t type, int step,
                      const std::vector<Completed>& members, std::vector<int32_t> devices) const;
  void reduce(ProgramBuilder& builder, int step, int stage);
  void reduce_group(ProgramBuilder& builder, int step, int stage,
                    const std::vector<Completed>& group, const UpdateTypes& types);
  void gather_group(ProgramBuilder& builder, int step, int stage,
                    const std::vector<Completed>& group, const UpdateTypes& types);
  void tie_embeddings(ProgramBuilder& builder, int step) const;
  void tie(ProgramBuilder& builder, int step, const std::vector<Completed>& members,
           std::vector<int32_t> devices) const;
  void validate(ProgramBuilder& builder, int step) const;
  void gather(ProgramBuilder& builder, int step, int stage);
  /// The ends that one member of a stage has of its own beside what it does with others.
  struct Ends {
    std::vector<std::vector<OpId>> reduced;  ///< by part of the gradients
    OpId updated = none;                     ///< by the host: the last copy of weights
  };
  Ends& ends_of(int step, int stage, const Completed& member) {
    return ends_[{step, stage, simulated_rank(member.rank, member.member)}];
  }
  void step_on_host(ProgramBuilder& builder, int step, int stage);

  const LoweringInput& in_;
  const OpTypes& types_;
  const std::vector<SimulatedMesh>& meshes_;  ///< by pipeline rank
  LaneSet lanes_;
  std::map<std::pair<int, int>, std::vector<Completed>> completed_;  ///< by step and stage
  std::map<std::pair<int, uint32_t>, Step> steps_;                   ///< by step and simulated rank
  std::map<std::pair<int, int>, std::vector<int>> stages_;           ///< by step and rank
  std::map<std::tuple<int, int, uint32_t>, Ends> ends_;  ///< by step, stage and simulated rank
};

}  // namespace pipewright
