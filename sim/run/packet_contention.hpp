// The sharing of links by an iteration whose nodes send each other packets.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "engine/contention.hpp"
#include "engine/packet_plan.hpp"
#include "run/executed.hpp"

namespace pipewright {

/// The most packets that all runs of an experiment may send; each counts once for every port that
/// it crosses.
inline constexpr double most_crossings = 10e9;

/// A program whose nodes send each other packets. Every rank of it stands for itself.
struct PacketProgram {
  const Program& program;
  const Prices& prices;
  std::span<const Time> duration;  ///< by op, of each alone
};

/// Finds which links flows share inside nodes, and what is sent between them. `op_routes` are all
/// routes of the program. `inside` returns the links that are laid by the first of the shortest
/// routes, of which `mirror` is. Throws Misfit where packets are too many.
Contention packet_contention(const PacketProgram& run, const PacketLinks& links,
                             const Topology& topology, const Spreading& spreading,
                             OpRoutes op_routes,
                             const std::function<std::shared_ptr<LaidLinks>()>& inside,
                             const Mirror& mirror);
/// The same of a run of `prepared`.
Contention packet_contention(const Prepared& prepared, const Executed& run, const Prices& prices,
                             std::span<const Time> duration, OpRoutes op_routes);

/// Returns a sentence.
std::string what_became_of(const PacketCounts& counts);

}  // namespace pipewright
