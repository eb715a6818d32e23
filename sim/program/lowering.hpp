// The state of one lowering, shared by the files that do parts of it. Internal to this folder.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>

#include "program/grid_groups.hpp"
#include "program/op_types.hpp"
#include "program/updates.hpp"

namespace pipewright {

/// The part that a rank has done of its work on sharded weights.
struct Shards {
  /// Collectives on gradients, not yet at their place in the lanes.
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
  std::vector<Run> runs;                   ///< since the last optimizer step
  size_t next = 0;                         ///< run whose reductions are the next to be placed
  std::vector<OpId> stepped;               ///< by member: the last optimizer step
  std::set<std::pair<int, int>> gathered;  ///< stage and part
};

/// The part that a rank has done of its work on what the host keeps.
struct HostTraffic {
  /// One part of one pass.
  struct Run {
    int stage, part;
    std::vector<OpId> ends;    ///< by member
    std::vector<OpId> leaves;  ///< by member: its activations; empty where they stay
  };
  /// Stage, micro-batch, slice, part.
  using Piece = std::array<int, 4>;
  std::vector<Run> runs;                    ///< since the last optimizer step
  std::vector<OpId> stepped;                ///< by member: the last optimizer step
  std::map<Piece, std::vector<OpId>> left;  ///< by member: copies of activations to the host
};

class Lowering {
 public:
  explicit Lowering(const LoweringInput& input);
  Program run();

 private:
  using Action = schedule::Action;

  /// The server that computes on a member: one server, or one for forwards and one for backwards.
  struct Server {
    struct Previous {
      OpId op;
      int chain;
    };
    OpId newest = none;              ///< last op of its lane
    std::vector<Previous> previous;  ///< what its next op of the same chain waits for
  };

  uint32_t program_rank(int rank, uint32_t member) const {
    return meshes_[static_cast<size_t>(rank)].first + member;
  }
  LaneId lane(uint32_t program_rank, Stream stream) const {
    return lanes_.lane(program_rank, stream);
  }
  LaneId compute_lane(int rank, uint32_t member, bool backward) const {
    return lane(program_rank(rank, member), backward ? Stream::backward : Stream::compute);
  }
  /// The op runs on the second server of its rank.
  bool on_backward_server(const Action& a) const {
    return schedule_.parallel_passes && a.pass != schedule::Pass::forward;
  }
  Server& server(uint32_t member, bool backward) { return servers_[2 * member + backward]; }
  /// Returns the server that runs the backward passes of a member.
  Server& backward_server(uint32_t member) { return server(member, schedule_.parallel_passes); }
  size_t piece(const Action& a, uint32_t member) const;

  uint32_t width(int rank) const { return meshes_[static_cast<size_t>(rank)].width(); }

  // lower.cpp: ranks and passes
  void add_ranks();
  void lower_rank(int rank);
  void lower_step(int rank, const RankStep& step);
  /// Waits for what is in flight of all chains, or of one.
  OpId add_compute(int rank, uint32_t member, uint32_t type, const Action& a,
                   std::optional<int> chain = {});
  void wait_for_previous(Server& server, OpId op, std::optional<int> chain = {});
  void follow_backwards(const Action& a, uint32_t member, OpId op);
  void lower_pass(int rank, size_t position);
  void lower_paired_op(int rank, const Action& a, const Action& b, uint32_t type);
  /// `last`: it completes the gradients of its stage for an optimizer step.
  void lower_action(int rank, const Action& a, bool last);
  void depend_on_own_stage(const Action& a, uint32_t member, OpId op);
  void add_collective(int rank, const SegmentTypes& segment, const Action& a, bool completes);
  void note_update(int rank, const RankStep& step);
  std::vector<OpId> ends_of_parts(int stage, uint32_t member);

  // lower_sharding.cpp
  static bool turns_at(const schedule::Order& order, size_t position);
  void gather_part(int rank, int part, const Action& a);
  void end_part(int rank, int part, const Action& a, bool last);
  void reduce_part(int rank, const ShardTypes& types, const Action& a);
  OpId add_exchange(int rank, const GroupMembers& group, uint32_t type, const Action& a);
  void place_reductions(int rank, size_t runs);
  void finish_reductions(int rank);
  void forget_gathered();

  // lower_offload.cpp
  void fetch_part(int rank, int part, const Action& a);
  void leave_part(int rank, int part, const Action& a);
  OpId add_copy(int rank, uint32_t member, uint32_t type, Stream stream, const Action& a);
  void add_fetch(int rank, uint32_t type, const Action& a, const std::vector<OpId>& after);
  void fetch_anew();

  // lower_messages.cpp
  uint32_t transfer_type(const Action& producer) const {
    return types_.transfer(producer.pass, producer.stage, producer.slice);
  }
  /// One transfer for all members of both ranks.
  bool is_resharding_edge(const Action& producer) const {
    return builder_.program.types[transfer_type(producer)].resharding != none;
  }
  OpId transfer_of(int message, uint32_t member);
  void place_transfer(int rank, int message);
  void place_batch(int rank, const std::vector<int>& messages);
  void hand_over(int rank, int message);
  void take(int rank, int message);
  bool fits_buffer(int message) const;
  void connect_transfers();
  void connect_buffers();

  // lower_evictions.cpp
  OpId add_move(const schedule::Eviction& eviction, uint32_t member, int from, int to);
  const Action& forward_after(const schedule::Eviction& eviction) const;
  void connect_evictions(uint32_t member);

  const LoweringInput& in_;
  const schedule::Schedule& schedule_;
  RankOrders orders_;
  std::vector<SimulatedMesh> meshes_;  ///< by pipeline rank
  uint32_t widest_ = 0;                ///< simulated ranks of the pipeline rank that has most
  uint32_t width_ = 0;                 ///< of the one being lowered
  LaneSet lanes_;
  ProgramBuilder builder_;
  OpTypes types_;
  Updates updates_;
  std::array<std::vector<GroupMembers>, axes> groups_;  ///< by axis, of the rank being lowered
  uint32_t first_ = 0, last_ = 0;                       ///< the members being lowered
  std::vector<Server> servers_;                         ///< two for each member
  std::vector<OpId> entry_, exit_;                      ///< by piece: first and last op
  std::vector<bool> completes_;                         ///< by position in the order of the rank
  /// The ops that completed the gradients of each part of a stage, by stage and member.
  std::map<std::pair<int, uint32_t>, std::vector<OpId>> part_ends_;
  Shards shards_;
  HostTraffic host_traffic_;
  bool meets_as_a_stage_ = false;  ///< collectives within passes couple all devices of a rank
  bool turns_ = false;             ///< the backward of the pass being lowered is next
  /// The transfer, and the markers of a buffered one, by message and member; empty until needed.
  std::vector<std::vector<OpId>> transfers_, handed_over_, taken_;
};

}  // namespace pipewright
