// The op types of a lowering: one for each segment of each pass of each stage and slice.
#pragma once

#include <array>
#include <vector>

#include "program/part_types.hpp"
#include "program/pass_types.hpp"
#include "program/update_types.hpp"

namespace pipewright {

/// Returns what `pass` of a stage does.
const Segments& segments_of(const StageWork& work, schedule::Pass pass);

class OpTypes {
 public:
  OpTypes(const LoweringInput& input, Program& program);

  const std::vector<SegmentTypes>& pass(schedule::Pass pass, int stage, int slice) const {
    return of(stage, slice).passes[static_cast<size_t>(pass)];
  }
  /// Returns the segments of the pass that completes the gradients of an iteration.
  const std::vector<SegmentTypes>& last_pass(schedule::Pass pass, int stage, int slice) const {
    const std::vector<SegmentTypes>& last =
        of(stage, slice).passes[4 + (pass == schedule::Pass::weight_gradient)];
    return last.empty() ? this->pass(pass, stage, slice) : last;
  }
  /// The op type of a pair whose forward is of `stage`; `none` where pairs run one after the other.
  uint32_t pair(int stage, int slice) const { return of(stage, slice).pair; }
  /// Returns the op type that sends the output of a forward, backward or input gradient.
  uint32_t transfer(schedule::Pass pass, int stage, int slice) const {
    return of(stage, slice).transfers[static_cast<size_t>(pass)];
  }
  /// The op type of moving an activation to another rank's memory or back.
  uint32_t move(int stage) const { return moves_[static_cast<size_t>(stage)]; }
  /// Returns the reductions in the order in which the backward pass completes their gradients.
  const std::vector<UpdateTypes>& reduce(int stage) const { return updates_[stage].reduce; }
  const std::vector<UpdateTypes>& gather(int stage) const { return updates_[stage].gather; }
  uint32_t step(int stage) const { return updates_[stage].step; }
  const OuterTypes& outer(int stage) const { return updates_[stage].outer; }
  const std::vector<HostStepTypes>& on_host(int stage) const { return updates_[stage].on_host; }
  const OffloadTypes& offload(int stage, int part) const { return offloads_[stage][part]; }
  int offloaded_parts(int stage) const { return static_cast<int>(offloads_[stage].size()); }
  /// Passes of the stage fetch something from the host, part by part.
  bool offloads(int stage) const { return !offloads_.empty() && !offloads_[stage].empty(); }
  const ShardTypes& shard(int stage, int part) const { return shards_[stage][part]; }
  uint32_t tied_embedding() const { return tied_embedding_; }
  /// The all-reduce of the gradients' norm; `none` where no rank waits for it.
  uint32_t norm() const { return norm_; }
  uint32_t marker() const { return marker_; }
  /// The marker of a message that an action sends.
  uint32_t marker(const schedule::Action& producer) const {
    return message_markers_[static_cast<size_t>(producer.stage)]
                           [static_cast<size_t>(producer.pass)];
  }

 private:
  /// Of one slice of a stage.
  struct Slice {
    std::vector<std::vector<SegmentTypes>> passes;  ///< by pass; then the last of B and W
    uint32_t pair = none;
    std::vector<uint32_t> transfers;  ///< by pass
  };

  const Slice& of(int stage, int slice) const {
    return slices_of_stages_[static_cast<size_t>(stage) * slices_ + static_cast<size_t>(slice)];
  }
  static Slice add_slice(TypeAdder& adder, const LoweringInput& input, int stage,
                         const StageWork& work);
  void add_moves(TypeAdder& adder, const LoweringInput& input);
  void add_whole_model(TypeAdder& adder, const LoweringInput& input);

  size_t slices_;
  std::vector<Slice> slices_of_stages_;
  std::vector<uint32_t> moves_;  ///< empty where activations stay where they are
  std::vector<StageUpdateTypes> updates_;
  std::vector<std::vector<ShardTypes>> shards_;      ///< by stage and part
  std::vector<std::vector<OffloadTypes>> offloads_;  ///< by stage and part
  uint32_t tied_embedding_ = none, norm_ = none, marker_ = none;
  std::vector<std::array<uint32_t, 4>> message_markers_;  ///< by stage and pass
};

}  // namespace pipewright
