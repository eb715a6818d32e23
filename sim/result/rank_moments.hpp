// The moments at which what a rank holds changes, in the order of time.
#pragma once

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// The start or end of an op.
struct Moment {
  Time at;
  /// The order at one time: ends come before starts, and between them ops without length, one by
  /// one.
  enum class Phase : uint8_t { end, at_once, start } phase;
  bool starts;
  OpId op;
};

/// The ops that run on each rank's servers or move what it holds.
class RankOps {
 public:
  explicit RankOps(const Program& program);

  /// The lanes that `rank` computes on: one, or two where forwards and backwards have their own.
  std::span<const LaneId> servers(uint32_t rank) const { return servers_[rank]; }
  /// All that changes what the rank holds is on one lane, in the order in which it runs.
  bool in_lane_order(uint32_t rank) const;
  /// Returns the moments of `rank` without the pauses of the timeline.
  std::vector<Moment> moments(const Timeline& timeline, uint32_t rank) const;
  /// Returns by how much the memory of `rank` grows there; less than zero where it shrinks. Compute
  /// takes at its start and gives back at its end; a transfer takes from the receiver while it is
  /// in flight and then gives back to the sender.
  Bytes growth(const Moment& moment, uint32_t rank) const;

 private:
  const Program& program_;
  std::vector<std::vector<LaneId>> servers_;  ///< by rank
  std::vector<std::vector<OpId>> movers_;     ///< by rank: transfers that change its memory
};

}  // namespace pipewright
