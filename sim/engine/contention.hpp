// The sharing of links by the messages and collectives of a program: which links, and how much of
// each.
//
// Links that are loaded alike are one link here. Where ranks stand for others that do the same on
// other devices, so do links, as long as all that one stands for cross links of the same kinds, of
// those that might ever be full: rates that are fair on one link of each kind are then fair on all
// of them (the partition is equitable).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/price.hpp"
#include "engine/timeline.hpp"
#include "network/footprint.hpp"
#include "program/program.hpp"

namespace pipewright {

/// What a sum of doubles may be beyond what it would be exactly, of loads and of what links carry.
inline constexpr double load_tolerance = 1e-9;

/// All ops that put the same bytes on the same links. Compute that others may slow goes over the
/// processors and the memory of its device, in nanoseconds instead of bytes.
struct SharedRoute {
  double bytes = 0;
  double bandwidth = 0;  ///< alone; bytes / bandwidth is how long bytes move, after the latency
  bool computes = false;
  /// The channel of messages from one rank to another that hold no lane: their bytes move one after
  /// the other, in the order in which their latencies end, as on one connection or one stream of
  /// NCCL.
  uint32_t channel = none;
};

struct PacketPlan;

/// Returns how long its bytes move when nobody else's do.
Time moving_time(const SharedRoute& route);

/// Links of one kind that might be full at some time.
struct SharedLink {
  struct Load {
    uint32_t route = 0;
    double bytes = 0;  ///< of one op
    int times = 1;     ///< the op itself and what it stands for
    auto operator<=>(const Load&) const = default;
  };
  double capacity = 0;
  std::vector<Load> loads;
  bool of_device = false;  ///< its processors or its memory: what does not compute is served first
};

struct Contention {
  std::vector<SharedLink> links;
  std::vector<SharedRoute> routes;
  std::vector<uint32_t> route_of;  ///< by op; `none` where it moves nothing over those links
  uint32_t channels = 0;
  bool alike = true;  ///< what an op stands for crosses links of the same kinds, of those above
  Time cut;           ///< all bytes over a link at its capacity, of the busiest
  /// The ops that are packets between nodes; null where bytes are flows there too.
  std::shared_ptr<const PacketPlan> packets = nullptr;
};

struct OpRoutes;

/// `duration` is by op, of each alone; `op_routes` are the routes of `program` by the same prices.
Contention find_contention(const Program& program, const Prices& prices,
                           std::span<const Time> duration, OpRoutes op_routes);

struct RankBesideCompute;

/// The same for a program that is run again and again: `beside` is beside_compute() of it.
Contention find_contention(const Program& program, const Prices& prices,
                           std::span<const Time> duration,
                           std::span<const RankBesideCompute> beside, OpRoutes op_routes);

/// Returns by link whether it might be full at some time.
std::vector<bool> links_that_may_be_full(const Program& program, const OpRoutes& op_routes);

/// Returns when more would first go over a link than it can carry, or two messages over a channel,
/// if nobody were held up, as in `timeline`; up to then the run is as in `timeline`. `longest_time`
/// for never.
Time first_excess(const Contention& contention, std::span<const Time> duration,
                  const Timeline& timeline);

}  // namespace pipewright
