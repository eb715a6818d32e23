#include "engine/contention.hpp"

#include <algorithm>
#include <iterator>

#include "engine/device_sharing.hpp"
#include "engine/link_kinds.hpp"
#include "engine/link_layout.hpp"

namespace pipewright {
namespace {

using Load = SharedLink::Load;

/// Returns the loads of each kind by what the routes put on it.
std::vector<SharedLink> loaded(const LinkKinds& kinds, const OpRoutes& op_routes) {
  std::vector<std::vector<uint32_t>> routes_of(kinds.loads.size());  // by footprint
  for (uint32_t route = 0; route < op_routes.routes.size(); ++route)
    if (op_routes.routes[route].footprint != none)
      routes_of[op_routes.routes[route].footprint].push_back(route);
  std::vector<SharedLink> links;
  for (const AlikeLinks& kind : kinds.kinds) {
    SharedLink link{kind.capacity, {}, false};
    for (const FootprintLoad& load : kind.loads)
      for (const uint32_t route : routes_of[load.footprint])
        link.loads.push_back({route, op_routes.routes[route].bytes * load.share, load.times});
    std::sort(link.loads.begin(), link.loads.end());
    links.push_back(std::move(link));
  }
  return links;
}

/// Finds the links and devices that might be full at some time.
class Sorting {
 public:
  Sorting(size_t lanes, const OpRoutes& op_routes, std::vector<SharedLink> kinds)
      : op_routes_(op_routes), kinds_(std::move(kinds)), lanes_(lanes) {
    for (const SharedLink& kind : kinds_) fillable_.push_back(can_fill(kind));
  }

  /// Keeps these kinds, and those of devices.
  void keep(const std::vector<bool>& kinds) {
    for (size_t kind = 0; kind < kinds.size(); ++kind)
      if (!kinds[kind]) fillable_[kind] = false;
  }

  bool may_be_full(uint32_t kind) const { return fillable_[kind]; }

  /// Tells whether the instances of each footprint cross the same kinds, of those that might be
  /// full.
  bool are_alike(const Crossings& crossings) const {
    const auto of_those = [&](std::vector<CrossedKind> list) {
      std::erase_if(list, [&](const CrossedKind& crossed) { return !fillable_[crossed.kind]; });
      return list;
    };
    return std::ranges::all_of(crossings, [&](const auto& lists) {
      if (lists.size() < 2) return true;
      const std::vector<CrossedKind> first = of_those(lists.front());
      return std::ranges::all_of(lists, [&](const auto& list) { return of_those(list) == first; });
    });
  }

  std::vector<SharedLink> links_that_may_be_full() const {
    std::vector<SharedLink> links;
    for (size_t kind = 0; kind < kinds_.size(); ++kind)
      if (fillable_[kind]) links.push_back(kinds_[kind]);
    return links;
  }

  Time cut() const {
    Time longest;
    for (const SharedLink& kind : kinds_) longest = std::max(longest, time_of(kind));
    return longest;
  }

 private:
  /// All bytes over a link of the kind, less a picosecond for each op: lengths are rounded. Sums of
  /// doubles are not exact either.
  Time time_of(const SharedLink& kind) const {
    double bytes = 0;
    int64_t ops = 0;
    for (const Load& load : kind.loads) {
      const int64_t times = load.times * op_routes_.routes[load.route].ops;
      bytes += load.bytes * as_double(times);
      ops += times;
    }
    return seconds(bytes / kind.capacity * (1 - load_tolerance)) - picoseconds(ops);
  }

  double demand(const Load& load) const {
    const OpRoute& route = op_routes_.routes[load.route];
    return load.bytes * (route.bandwidth / route.bytes) * load.times;
  }

  /// Even if all went over it at once that can: of the routes that one lane keeps apart only one.
  /// What a route stands for goes at once, in loads beside each other where shares differ.
  bool can_fill(const SharedLink& kind) {
    double sum = 0;
    for (auto load = kind.loads.begin(); load != kind.loads.end();) {
      const OpRoute& route = op_routes_.routes[load->route];
      double at_once = 0;
      for (const uint32_t one = load->route; load != kind.loads.end() && load->route == one; ++load)
        at_once += demand(*load);
      if (route.lane == none) {
        sum += at_once * as_double(route.ops);
        continue;
      }
      double& most = lanes_[route.lane];
      sum += std::max(0.0, at_once - most);
      most = std::max(most, at_once);
    }
    for (const Load& load : kind.loads)
      if (op_routes_.routes[load.route].lane != none)
        lanes_[op_routes_.routes[load.route].lane] = 0;
    return sum > kind.capacity * (1 + load_tolerance);
  }

  const OpRoutes& op_routes_;
  std::vector<SharedLink> kinds_;
  std::vector<bool> fillable_;  // by kind
  std::vector<double> lanes_;   // of each, most of what it lets go over the kind at hand
};

void forget_routes_over_none(Contention& contention) {
  std::vector<bool> needed(contention.routes.size());
  for (const SharedLink& link : contention.links)
    for (const Load& load : link.loads) needed[load.route] = true;
  for (uint32_t& route : contention.route_of)
    if (route != none && !needed[route]) route = none;
}

}  // namespace

std::vector<bool> links_that_may_be_full(const Program& program, const OpRoutes& op_routes) {
  const LinkLayout& layout = *op_routes.layout;
  const Sorting sorting(program.lanes.size(), op_routes, loaded(layout.kinds(), op_routes));
  std::vector<bool> may_be_full(layout.topology().links().size());
  for (LinkId link = 0; link < may_be_full.size(); ++link) {
    const uint32_t kind = layout.kinds().of(link);
    may_be_full[link] = kind != none && sorting.may_be_full(kind);
  }
  return may_be_full;
}

Contention find_contention(const Program& program, const Prices& prices,
                           std::span<const Time> duration, OpRoutes op_routes) {
  std::vector<RankBesideCompute> beside;
  if (prices.device_load) beside = beside_compute(program);
  return find_contention(program, prices, duration, beside, std::move(op_routes));
}

Contention find_contention(const Program& program, const Prices& prices,
                           std::span<const Time> duration,
                           std::span<const RankBesideCompute> beside, OpRoutes op_routes) {
  const LinkLayout& layout = *op_routes.layout;
  std::vector<SharedLink> kinds = loaded(layout.kinds(), op_routes);
  std::ranges::move(share_devices(program, prices, duration, beside, op_routes),
                    std::back_inserter(kinds));
  Sorting sorting(program.lanes.size(), op_routes, std::move(kinds));
  Contention contention;
  contention.cut = sorting.cut();
  contention.alike = sorting.are_alike(layout.crossings());
  if (!contention.alike) {
    // What is unlike may not matter.
    sorting.keep(layout.without_redundant().kinds);
    contention.alike = sorting.are_alike(layout.without_redundant().crossings);
  }
  contention.links = sorting.links_that_may_be_full();
  for (const OpRoute& route : op_routes.routes)
    contention.routes.push_back({route.bytes, route.bandwidth, route.computes, route.channel});
  contention.channels = op_routes.channels;
  contention.route_of = std::move(op_routes.route_of);
  forget_routes_over_none(contention);
  return contention;
}

}  // namespace pipewright
