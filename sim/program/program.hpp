// The program: typed operations on lanes with dependencies. It is all that executors see, whether
// they simulate it or run it live.
//
// An op starts when it is at the head of every lane it occupies and everything it comes after has
// ended. Compute occupies one lane; an asynchronous transfer none; a rendezvous the compute lanes
// of both sides; a collective one lane of each participant.
//
// Arrays are flat and indices are 32 bits: programs of millions of ops are the normal case.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/labels.hpp"
#include "schedule/schedule.hpp"
#include "workload/layer.hpp"

namespace pipewright {

using OpId = uint32_t;
using LaneId = uint32_t;
inline constexpr uint32_t none = UINT32_MAX;

enum class OpKind : uint8_t {
  compute,     ///< kernels on the device of the op's rank
  transfer,    ///< `bytes` from the op's rank to rank `peer`
  collective,  ///< of group `peer`
  step,        ///< optimizer step: compute that ends an iteration
  marker,      ///< takes no time; a point that others wait for
  copy,        ///< `bytes` between the memories of the op's device and of its host
};

/// The purpose of a communication, by which results account for it.
enum class Traffic : uint8_t { pipeline, tensor, data, expert, context, host };
inline constexpr int traffic_kinds = 6;

enum class Stream : uint8_t {
  compute,
  tensor,
  data,
  // Only where a rank runs forward and backward passes beside each other: those of backward passes.
  backward,
  backward_tensor,
  copies,  ///< gradients summed over the copies of sharded weights
  // Only where something is kept on the host: copies each way by passes and by the optimizer step,
  // and what the host computes.
  leave,
  fetch,
  to_host,
  from_host,
  host,
};
inline constexpr int stream_kinds = 11;
/// Tells whether the ops of such a lane compute.
inline bool computes(Stream stream) {
  return stream == Stream::compute || stream == Stream::backward;
}

enum class LanePolicy : uint8_t {
  in_order,     ///< ops start in the order of the lane
  ready_first,  ///< of those that are ready the one that became so first; ties by id
  /// Transfers and their receivers, none of which holds the lane: the k-th receiver to become ready
  /// starts once the k-th transfer to start has ended.
  matching,
};

struct Lane {
  uint32_t rank = 0;
  Stream stream = Stream::compute;
  LanePolicy policy = LanePolicy::in_order;
};

/// A range of Program::works.
struct WorkRange {
  uint32_t first = 0, count = 0;
};

/// Device memory that an op takes and gives back.
struct MemoryChange {
  Bytes allocates;  ///< at the start; by a transfer from its receiver
  Bytes frees;      ///< at the end; by a transfer to its sender
};

/// The properties that ops have in common which differ only in rank and micro-batch.
struct OpType {
  OpKind kind = OpKind::compute;
  schedule::Pass pass = schedule::Pass::forward;
  Traffic traffic = Traffic::pipeline;
  CollectiveKind collective = CollectiveKind::all_reduce;
  bool first = true;        ///< the first op of its action
  bool last = true;         ///< the last op of its action
  bool paired = false;      ///< one op for two actions; `peer` indexes Program::partners
  bool tied = false;        ///< a collective of the table that the first and the last stage share
  bool keeps_lane = false;  ///< its ready_first lane is free again only after the op of the next id
  /// A transfer or copy to where it waits for its backward, or back.
  bool moves_activation = false;
  bool to_host = false;     ///< a copy from the device
  bool tells_host = false;  ///< a collective for whose result the host waits
  bool captured = false;    ///< a collective in a CUDA graph
  int32_t stage = 0;
  uint32_t resharding = none;  ///< of a transfer from all of one mesh to all of another: its number
  WorkRange works;
  Bytes bytes;  ///< of a transfer or collective
  MemoryChange memory;
};

struct Op {
  uint32_t type = 0;
  uint32_t rank = 0;  ///< that runs it; the sender of a transfer; the first of a collective
  uint32_t peer = none;
  LaneId lane = none;  ///< the first lane it occupies
  int32_t micro_batch = 0;
  int32_t weight_version = 0;
  int16_t slice = 0;
};

/// A simulated rank: one device, standing for `multiplicity` that do exactly the same.
struct ProgramRank {
  int32_t pipeline = 0, tensor = 0, data = 0;  ///< coordinates in the grid of devices
  int32_t device = 0;
  int32_t multiplicity = 1;
};

/// An edge of the program: `to` starts after the op it belongs to, as the next of a lane or because
/// it depends on it.
struct Edge {
  uint32_t to_and_kind = 0;
  OpId to() const { return to_and_kind & 0x7fffffffu; }
  bool is_lane() const { return to_and_kind >> 31; }
};

/// Micro-batches that stand for others like them, which the program leaves out.
struct RepeatedMicroBatches {
  std::vector<int32_t> first;  ///< of each direction; empty: nothing is left out
  int32_t count = 0;           ///< so many of each direction, one after the other
  int64_t again = 0;           ///< others that each of them stands for

  bool has(int32_t micro_batch) const {
    for (const int32_t begin : first)
      if (micro_batch >= begin && micro_batch < begin + count) return true;
    return false;
  }
};

struct Program {
  std::vector<ProgramRank> ranks;
  std::vector<OpType> types;
  std::vector<Work> works;
  std::vector<std::vector<int32_t>> groups;  ///< devices of each collective group
  std::vector<schedule::Action> partners;    ///< second actions of paired ops
  std::vector<Op> ops;
  std::vector<Lane> lanes;
  std::vector<uint32_t> lane_offset;  ///< lane l holds lane_ops[lane_offset[l] .. lane_offset[l+1])
  std::vector<OpId> lane_ops;
  std::vector<uint32_t> edge_offset;  ///< op o is followed by edges[edge_offset[o] ..)
  std::vector<Edge> edges;
  std::vector<uint32_t> waits;  ///< by op: number of edges that end in it
  // Only of traces, by op; empty otherwise.
  std::vector<Time> lengths;  ///< of compute
  std::vector<Label> labels;
  LabelTable label_table;
  RepeatedMicroBatches repeated = {};

  /// Returns how many ops `op` stands for in a count of all, itself included.
  int64_t times(OpId op) const {
    return repeated.has(ops[op].micro_batch) ? 1 + repeated.again : 1;
  }
  const OpType& type(OpId op) const { return types[ops[op].type]; }
  std::span<const OpId> order(LaneId lane) const {
    return {lane_ops.data() + lane_offset[lane], lane_ops.data() + lane_offset[lane + 1]};
  }
  std::span<const Edge> after(OpId op) const {
    return {edges.data() + edge_offset[op], edges.data() + edge_offset[op + 1]};
  }
  std::span<const Work> works_of(const OpType& type) const {
    return {works.data() + type.works.first, type.works.count};
  }
  schedule::Action action(OpId op) const;
};

/// Collects ops, lanes and dependencies in any order and packs them.
class ProgramBuilder {
 public:
  Program program;  ///< ranks, types, works, groups and partners may be written directly

  LaneId add_lane(uint32_t rank, Stream stream, LanePolicy policy = LanePolicy::in_order);
  OpId add(const Op& op);
  /// Puts `op` at the end of `lane`; an op may be in several lanes.
  void append(LaneId lane, OpId op);
  /// Puts `op` into `lane` before the first op appended there that was added after `newest`. Of
  /// several in a lane, `newest` does not fall, and they keep their order.
  void insert(LaneId lane, OpId op, OpId newest);
  /// `second` starts after `first` has ended.
  void depend(OpId first, OpId second);
  void reserve(size_t ops);
  Program finish() &&;

 private:
  struct Dependency {
    OpId first, second;
  };
  struct Occupancy {
    LaneId lane;
    OpId op;
  };
  struct Insertion {
    OpId op, newest;
  };
  void place_insertions();
  void pack_lanes();
  void pack_edges();
  std::vector<Dependency> dependencies_;
  std::vector<Occupancy> occupancies_;
  std::map<LaneId, std::vector<Insertion>> insertions_;
};

}  // namespace pipewright
