// A pipeline rank while its passes are lowered: its members, and what computes on each. A member is
// one of the simulated ranks of the pipeline rank.
#pragma once

#include <array>
#include <limits>
#include <ranges>

#include "program/program_draft.hpp"

namespace pipewright {

/// Chains of collectives in flight, from `first` to before `last`.
struct Chains {
  int first = 0, last = std::numeric_limits<int>::max();

  bool has(int chain) const { return chain >= first && chain < last; }
};

/// The server that computes on a member: one server, or one for forwards and one for backwards.
struct Server {
  struct Previous {
    OpId op;
    int chain;
  };
  OpId newest = none;              ///< last op of its lane
  std::vector<Previous> previous;  ///< what its next op of the same chain waits for
};

class LoweredRank {
 public:
  using Action = schedule::Action;

  LoweredRank(ProgramDraft& draft, int rank);
  LoweredRank(const LoweredRank&) = delete;
  LoweredRank& operator=(const LoweredRank&) = delete;
  ~LoweredRank() = default;

  /// The members from `first` to before `last` are lowered next.
  void select(uint32_t first, uint32_t last);
  auto selected() const { return std::views::iota(first_, last_); }
  auto members() const { return std::views::iota(0u, width_); }

  int number() const { return rank_; }
  uint32_t width() const { return width_; }
  /// Returns the groups along an axis whose first member is among those selected.
  const std::vector<const GroupMembers*>& groups(Axis axis) const {
    return selected_groups_[static_cast<size_t>(axis)];
  }
  LaneId lane(uint32_t member, Stream stream) const {
    return draft_.lanes.lane(draft_.program_rank(rank_, member), stream);
  }
  LaneId compute_lane(uint32_t member, bool backward) const {
    return lane(member, backward ? Stream::backward : Stream::compute);
  }

  /// The op runs on the second server of its rank.
  bool on_backward_server(const Action& a) const {
    return draft_.schedule.parallel_passes && a.pass != schedule::Pass::forward;
  }
  Server& server(uint32_t member, bool backward) { return servers_[2 * member + backward]; }
  /// Returns the server that runs the backward passes of a member.
  Server& backward_server(uint32_t member) {
    return server(member, draft_.schedule.parallel_passes);
  }
  OpId newest(uint32_t member) { return server(member, false).newest; }
  /// Makes the next op on a member wait for `op`.
  void next_waits_for(uint32_t member, OpId op) {
    server(member, false).previous.push_back({op, 0});
  }

  /// Adds an op that waits for what is in flight of `chains`.
  OpId add_compute(uint32_t member, uint32_t type, const Action& a, Chains chains = {});
  /// Adds a collective, which is not yet in a lane.
  OpId add_collective(const GroupMembers& group, uint32_t type, const Action& a);
  /// Makes `op`, the newest of `server`, wait for what is in flight of `chains`.
  void wait_for_previous(Server& server, OpId op, Chains chains = {});

 private:
  ProgramDraft& draft_;
  int rank_;
  uint32_t width_;
  uint32_t first_ = 0, last_ = 0;  ///< the members being lowered
  std::array<std::vector<GroupMembers>, axes> groups_;
  std::vector<Server> servers_;  ///< two for each member
  std::array<std::vector<const GroupMembers*>, axes> selected_groups_;
};

}  // namespace pipewright
