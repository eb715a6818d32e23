// The op types of a lowering: one for each segment of each pass of each stage and slice.
#pragma once

#include <vector>

#include "program/lower.hpp"

namespace pipewright {

/// The op types of one segment; `collective` is `none` where the segment has none.
struct SegmentTypes {
  uint32_t compute = none;
  uint32_t collective = none;
  Axis axis = Axis::tensor;
  int part = 0;
  /// Tells whether its kernels are the first or the last of their part in the pass.
  bool starts_part = false, ends_part = false;
  int chain = 0;       ///< whose collectives its kernels wait for
  bool joins = false;  ///< they wait for those of all chains
};

/// A collective on gradients, or on updated weights.
struct UpdateTypes {
  uint32_t type = none;
  Axis axis = Axis::data;
  size_t part = 0;  ///< of the last backward pass, that completes the gradients
};

/// The copies of one part of a stage of which something is on the host; `none` where nothing is.
struct OffloadTypes {
  uint32_t weights = none;                  ///< to the device
  uint32_t leave = none, come_back = none;  ///< activations
};

/// One part of a step that the host makes.
struct HostStepTypes {
  uint32_t gradients = none, step = none, weights = none;
};

/// The collectives of one part of a stage whose weights are cut over replicas.
struct ShardTypes {
  uint32_t gather = none, scatter = none;
  uint32_t sum = none;  ///< over the copies of the weights
};

class OpTypes {
 public:
  OpTypes(const LoweringInput& input, Program& program);

  const std::vector<SegmentTypes>& pass(schedule::Pass pass, int stage, int slice) const {
    return passes_[index(stage, slice)][static_cast<size_t>(pass)];
  }
  /// Returns the segments of the pass that completes the gradients of an iteration.
  const std::vector<SegmentTypes>& last_pass(schedule::Pass pass, int stage, int slice) const {
    const std::vector<SegmentTypes>& last =
        passes_[index(stage, slice)][4 + (pass == schedule::Pass::weight_gradient)];
    return last.empty() ? this->pass(pass, stage, slice) : last;
  }
  /// The op type of a pair whose forward is of `stage`; `none` where pairs run one after the other.
  uint32_t pair(int stage, int slice) const { return pairs_[index(stage, slice)]; }
  /// Returns the op type that sends the output of a forward, backward or input gradient.
  uint32_t transfer(schedule::Pass pass, int stage, int slice) const {
    return transfers_[index(stage, slice)][static_cast<size_t>(pass)];
  }
  /// The op type of moving an activation to another rank's memory or back.
  uint32_t move(int stage) const { return moves_[static_cast<size_t>(stage)]; }
  /// Returns the reductions in the order in which the backward pass completes their gradients.
  const std::vector<UpdateTypes>& reduce(int stage) const { return reduce_[stage]; }
  const std::vector<UpdateTypes>& gather(int stage) const { return gather_[stage]; }
  uint32_t step(int stage) const { return step_[stage]; }
  const std::vector<HostStepTypes>& on_host(int stage) const { return on_host_[stage]; }
  const OffloadTypes& offload(int stage, int part) const { return offloads_[stage][part]; }
  int offloaded_parts(int stage) const { return static_cast<int>(offloads_[stage].size()); }
  /// Passes of the stage fetch something from the host, part by part.
  bool offloads(int stage) const { return !offloads_.empty() && !offloads_[stage].empty(); }
  const ShardTypes& shard(int stage, int part) const { return shards_[stage][part]; }
  uint32_t tied_embedding() const { return tied_embedding_; }
  /// The all-reduce of the gradients' norm; `none` where no rank waits for it.
  uint32_t norm() const { return norm_; }
  uint32_t marker() const { return marker_; }

 private:
  size_t index(int stage, int slice) const {
    return static_cast<size_t>(stage) * slices_ + static_cast<size_t>(slice);
  }
  uint32_t add(OpType type, const std::vector<Work>& works);
  uint32_t add_copy(Bytes bytes, bool to_host, int stage, schedule::Pass pass);
  uint32_t add_collective(const CollectiveWork& work, Traffic traffic, int stage);
  std::vector<SegmentTypes> add_pass(schedule::Pass pass, int stage, const StageWork& work,
                                     const Segments& given, const std::vector<Bytes>& activations);
  void add_moves(const LoweringInput& input);
  void add_updates(const LoweringInput& input);
  void add_host_steps(const UpdateWork& update, int stage);
  void add_shards(const LoweringInput& input);
  void add_offloads(const LoweringInput& input);

  Program& program_;
  size_t slices_;
  std::vector<std::vector<std::vector<SegmentTypes>>> passes_;
  std::vector<uint32_t> pairs_;
  std::vector<std::vector<uint32_t>> transfers_;
  std::vector<uint32_t> moves_;  ///< empty where activations stay where they are
  std::vector<std::vector<UpdateTypes>> reduce_, gather_;
  std::vector<uint32_t> step_;
  std::vector<std::vector<HostStepTypes>> on_host_;  ///< by stage and part of the gradients
  std::vector<std::vector<ShardTypes>> shards_;      ///< by stage and part
  std::vector<std::vector<OffloadTypes>> offloads_;  ///< by stage and part
  uint32_t tied_embedding_ = none, norm_ = none, marker_ = none;
};

}  // namespace pipewright
