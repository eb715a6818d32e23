// The program while it is lowered, as all parts of the lowering share it. Internal to this folder.
#pragma once

#include <vector>

#include "program/grid_groups.hpp"
#include "program/lane_set.hpp"
#include "program/op_types.hpp"

namespace pipewright {

/// The first and the last op of each piece of work. It knows forwards and backwards (or their first
/// half) only: those are what messages join.
class PassEnds {
 public:
  PassEnds(const schedule::Schedule& schedule, uint32_t members)
      : micro_batches_(static_cast<size_t>(schedule.total_micro_batches())),
        slices_(static_cast<size_t>(schedule.slices)),
        members_(members),
        first_(static_cast<size_t>(schedule.stages) * micro_batches_ * slices_ * 2 * members, none),
        last_(first_) {}

  OpId& first(const schedule::Action& a, uint32_t member) { return first_[piece(a, member)]; }
  OpId& last(const schedule::Action& a, uint32_t member) { return last_[piece(a, member)]; }

 private:
  size_t piece(const schedule::Action& a, uint32_t member) const {
    const size_t micro_batch = static_cast<size_t>(a.stage) * micro_batches_ + a.micro_batch;
    const size_t is_backward = a.pass == schedule::Pass::forward ? 0 : 1;
    return ((micro_batch * slices_ + a.slice) * 2 + is_backward) * members_ + member;
  }

  size_t micro_batches_, slices_, members_;
  std::vector<OpId> first_, last_;  ///< by piece and member
};

struct ProgramDraft {
  explicit ProgramDraft(const LoweringInput& input);
  ProgramDraft(const ProgramDraft&) = delete;
  ProgramDraft& operator=(const ProgramDraft&) = delete;
  ~ProgramDraft() = default;

  uint32_t program_rank(int rank, uint32_t member) const {
    return meshes[static_cast<size_t>(rank)].first + member;
  }
  /// Returns how many simulated ranks the pipeline rank has.
  uint32_t width(int rank) const { return meshes[static_cast<size_t>(rank)].width(); }

  const LoweringInput& in;
  const schedule::Schedule& schedule;
  std::vector<SimulatedMesh> meshes;  ///< by pipeline rank
  uint32_t widest = 0;                ///< simulated ranks of the pipeline rank that has most
  LaneSet lanes;
  ProgramBuilder builder;
  OpTypes types;
  PassEnds ends;

 private:
  void add_ranks();
};

}  // namespace pipewright
