#include "engine/contention.hpp"

#include <algorithm>
#include <bit>

#include "engine/device_sharing.hpp"
#include "engine/link_kinds.hpp"
#include "engine/redundant_links.hpp"

namespace pipewright {
namespace {

using Load = SharedLink::Load;

/// Finds the links and devices that might be full at some time.
class Sorting {
 public:
  Sorting(size_t lanes, const OpRoutes& op_routes, const LinkKinds& links,
          const std::vector<SharedLink>& devices)
      : op_routes_(op_routes), kind_of_(links.of), kinds_(links.kinds), lanes_(lanes) {
    kinds_.insert(kinds_.end(), devices.begin(), devices.end());
    for (const SharedLink& kind : kinds_) fillable_.push_back(can_fill(kind));
  }

  /// `redundant` is by link. A kind goes with the last of its links.
  void leave_out(const std::vector<bool>& redundant) {
    std::vector<bool> left(kinds_.size());
    for (LinkId link = 0; link < kind_of_.size(); ++link) {
      if (kind_of_[link] == none) continue;
      if (redundant[link])
        kind_of_[link] = none;
      else
        left[kind_of_[link]] = true;
    }
    for (size_t kind = 0; kind < kinds_.size(); ++kind)
      if (!kinds_[kind].of_device && !left[kind]) fillable_[kind] = false;
  }

  bool routes_are_alike() const {
    return std::all_of(op_routes_.routes.begin(), op_routes_.routes.end(),
                       [&](const OpRoute& route) {
                         const std::vector<Load> first = kinds_on(route, 0);
                         for (size_t k = 1; k < route.shares->size(); ++k)
                           if (kinds_on(route, k) != first) return false;
                         return true;
                       });
  }

  /// Returns, for each route and each of its instances, a print of the kinds of links that it
  /// crosses there.
  std::vector<std::vector<uint64_t>> prints() const {
    std::vector<std::vector<uint64_t>> prints;
    for (const OpRoute& route : op_routes_.routes) {
      std::vector<uint64_t>& print = prints.emplace_back(route.shares->size());
      for (size_t k = 0; k < print.size(); ++k)
        for (const Load& crossed : kinds_on(route, k))
          print[k] += mixed(std::bit_cast<uint64_t>(crossed.bytes) ^ mixed(crossed.route));
    }
    return prints;
  }

  std::vector<SharedLink> links_that_may_be_full() const {
    std::vector<SharedLink> links;
    for (size_t kind = 0; kind < kinds_.size(); ++kind)
      if (fillable_[kind]) links.push_back(kinds_[kind]);
    return links;
  }

  Time cut() const {
    double longest = 0;
    for (const SharedLink& kind : kinds_) {
      double bytes = 0;
      for (const Load& load : kind.loads)
        bytes += load.bytes * load.times * as_double(op_routes_.routes[load.route].ops);
      longest = std::max(longest, bytes / kind.capacity);
    }
    // Lengths are rounded to picoseconds, and sums of doubles are not exact either.
    const Time rounding = picoseconds(op_routes_.ops);
    return std::max(Time{}, seconds(longest * (1 - load_tolerance)) - rounding);
  }

 private:
  /// A route's links that might be full, by kind, in the k-th place that it stands for.
  std::vector<Load> kinds_on(const OpRoute& route, size_t k) const {
    std::vector<Load> kinds;
    for (const LinkShare& share : (*route.shares)[k]) {
      const uint32_t kind = kind_of_[share.link];
      if (kind != none && fillable_[kind]) kinds.push_back({kind, share.share});
    }
    std::sort(kinds.begin(), kinds.end());
    return kinds;
  }

  double demand(const Load& load) const {
    const OpRoute& route = op_routes_.routes[load.route];
    return load.bytes * (route.bandwidth / route.bytes) * load.times;
  }

  /// Even if all went over it at once that can: of the routes that one lane keeps apart only one.
  bool can_fill(const SharedLink& kind) {
    double sum = 0;
    for (const Load& load : kind.loads) {
      const OpRoute& route = op_routes_.routes[load.route];
      if (route.lane == none) {
        sum += demand(load) * as_double(route.ops);
        continue;
      }
      double& most = lanes_[route.lane];
      sum += std::max(0.0, demand(load) - most);
      most = std::max(most, demand(load));
    }
    for (const Load& load : kind.loads)
      if (op_routes_.routes[load.route].lane != none)
        lanes_[op_routes_.routes[load.route].lane] = 0;
    return sum > kind.capacity * (1 + load_tolerance);
  }

  const OpRoutes& op_routes_;
  std::vector<uint32_t> kind_of_;  // by link
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

std::vector<std::vector<uint64_t>> prints_of_links(const Program& program,
                                                   const OpRoutes& op_routes,
                                                   const LinkKinds& links,
                                                   const std::vector<bool>& redundant) {
  Sorting sorting(program.lanes.size(), op_routes, links, {});
  sorting.leave_out(redundant);
  return sorting.prints();
}

Contention find_contention(const Program& program, const Topology& topology, const Prices& prices,
                           std::span<const Time> duration, OpRoutes op_routes) {
  const LinkKinds links = link_kinds(topology, op_routes);
  const std::vector<SharedLink> devices = share_devices(program, prices, duration, op_routes);
  Sorting sorting(program.lanes.size(), op_routes, links, devices);
  Contention contention;
  contention.cut = sorting.cut();
  contention.alike = sorting.routes_are_alike();
  if (!contention.alike) {
    // What is unlike may not matter.
    sorting.leave_out(redundant_links(topology, op_routes));
    contention.alike = sorting.routes_are_alike();
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
