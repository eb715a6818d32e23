// The sharing of links by an iteration whose nodes send each other packets.
#pragma once

#include "engine/contention.hpp"
#include "engine/packet_plan.hpp"
#include "run/executed.hpp"

namespace pipewright {

/// The most packets that all runs of an experiment may send; each counts once for every port that
/// it crosses.
inline constexpr double most_crossings = 10e9;

/// Finds which links flows share inside nodes, and what `run` sends between them; every rank of it
/// stands for itself. `op_routes` are all its routes. Throws Misfit where packets are too many.
Contention packet_contention(const Prepared& prepared, const Executed& run, const Prices& prices,
                             std::span<const Time> duration, OpRoutes op_routes);

/// Returns a sentence.
std::string what_became_of(const PacketCounts& counts);

}  // namespace pipewright
