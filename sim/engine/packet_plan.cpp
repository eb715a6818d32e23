#include "engine/packet_plan.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "network/connections.hpp"
#include "network/flow_traffic.hpp"
#include "network/packet/packet_route.hpp"
#include "network/packet/packet_simulation.hpp"

namespace pipewright {
namespace {

/// The most routes that the packets of one flow are sprayed over.
constexpr size_t most_sprayed = 64;

/// A part of the bytes of an op over one route, or over several of which each packet draws one.
struct Path {
  std::vector<const PacketRoute*> routes;
  double share = 1;
};

class Planner {
 public:
  Planner(const Program& program, const Topology& topology, const Spreading& spreading,
          const OpRoutes& op_routes, const PacketOptions& options)
      : program_(program),
        topology_(topology),
        op_routes_(op_routes),
        routes_(topology, spreading),
        paths_of_(op_routes.layout->footprints().size()),
        is_known_(paths_of_.size()),
        load_of_route_(op_routes.routes.size(), none),
        is_loaded_(op_routes.routes.size()) {
    plan_.options = options;
    plan_.ports = shared_capacities(topology);
  }

  std::shared_ptr<const PacketPlan> run() {
    plan_.load_of.assign(program_.ops.size(), none);
    for (OpId op = 0; op < program_.ops.size(); ++op)
      if (op_routes_.route_of[op] != none) add(op);
    return std::make_shared<const PacketPlan>(std::move(plan_));
  }

 private:
  void add(OpId op) {
    const uint32_t route = op_routes_.route_of[op];
    if (!is_loaded_[route]) {
      is_loaded_[route] = true;
      add_load(route, program_.ops[op]);
    }
    const uint32_t load = plan_.load_of[op] = load_of_route_[route];
    if (load == none) return;
    plan_.packets += packets_[load].packets;
    plan_.crossings += packets_[load].crossings;
  }

  void add_load(uint32_t number, const Op& op) {
    const OpRoute& route = op_routes_.routes[number];
    const std::vector<Path>& paths = this->paths(route.footprint, op);
    if (paths.empty()) return;
    load_of_route_[number] = static_cast<uint32_t>(plan_.loads.size());
    PacketLoad& load = plan_.loads.emplace_back();
    load.moving = seconds(route.bytes / route.bandwidth);
    load.channel = route.channel;
    Numbers& numbers = packets_.emplace_back();
    for (const Path& path : paths) {
      const Bytes bytes{static_cast<int64_t>(std::ceil(route.bytes * path.share * (1 - 1e-12)))};
      load.parts.push_back({path.routes, bytes});
      load.wire = std::max(load.wire, latency(*path.routes.front()));
      const double packets = std::ceil(static_cast<double>(bytes.count) /
                                       static_cast<double>(plan_.options.mtu.count));
      plan_.most_of_a_flow = std::max(plan_.most_of_a_flow, packets);
      numbers.packets += packets;
      numbers.crossings += packets * static_cast<double>(path.routes.front()->size());
    }
  }

  static Time latency(const PacketRoute& route) {
    Time sum;
    for (const PacketHop& hop : route) sum += hop.latency;
    return sum;
  }

  /// Returns the paths between nodes of what has a footprint. They are found once.
  const std::vector<Path>& paths(uint32_t footprint, const Op& op) {
    if (!is_known_[footprint]) {
      is_known_[footprint] = true;
      for (const Connection& one : connections(op)) add_paths(one, paths_of_[footprint]);
    }
    return paths_of_[footprint];
  }

  std::vector<Connection> connections(const Op& op) const {
    const OpType& type = program_.types[op.type];
    if (type.kind == OpKind::copy) return {};
    const std::vector<int32_t> devices = devices_of(program_, op);
    if (type.kind == OpKind::collective)
      return connections_between_nodes(topology_, type.collective, devices);
    if (topology_.node(devices.front()) == topology_.node(devices.back())) return {};
    return {{devices.front(), devices.back(), 0, 1}};
  }

  void add_paths(const Connection& one, std::vector<Path>& paths) {
    const std::vector<const PacketRoute*>& routes = packet_routes(one);
    if (plan_.options.spray) return paths.push_back({routes, one.share});
    for (const PacketRoute* route : routes)
      paths.push_back({{route}, one.share / static_cast<double>(routes.size())});
  }

  const std::vector<const PacketRoute*>& packet_routes(const Connection& one) {
    const auto [found, is_new] = known_.try_emplace({one.from, one.to, one.flow});
    if (!is_new) return found->second;
    const std::vector<Route> routes =
        plan_.options.spray ? topology_.equal_cost_routes(one.from, one.to, most_sprayed)
                            : routes_.of(one.from, one.to, one.flow);
    for (const Route& route : routes)
      found->second.push_back(&plan_.routes.emplace_back(packet_route(topology_, route)));
    return found->second;
  }

  struct Numbers {
    double packets = 0, crossings = 0;
  };

  const Program& program_;
  const Topology& topology_;
  const OpRoutes& op_routes_;
  SpreadRoutes routes_;
  PacketPlan plan_;
  std::vector<std::vector<Path>> paths_of_;  // by footprint
  std::vector<bool> is_known_;               // by footprint
  std::vector<uint32_t> load_of_route_;      // by route of op_routes
  std::vector<bool> is_loaded_;              // by route of op_routes
  std::vector<Numbers> packets_;             // by load
  /// By sender, receiver and flow.
  std::map<std::tuple<int, int, uint64_t>, std::vector<const PacketRoute*>> known_;
};

}  // namespace

std::shared_ptr<const PacketPlan> plan_packets(const Program& program, const Topology& topology,
                                               const Spreading& spreading,
                                               const OpRoutes& op_routes,
                                               const PacketOptions& options) {
  return Planner(program, topology, spreading, op_routes, options).run();
}

}  // namespace pipewright
