#include "engine/device_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace pipewright {
namespace {

/// Progress is counted in nanoseconds of the op alone, shares of a device in thousandths.
constexpr double per_second = 1e9;
constexpr double shares_of_all = 1000;
constexpr double traffic_of_a_sent_byte = 3;

using Load = SharedLink::Load;

int thousandths(double share) {
  return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * shares_of_all));
}

/// A collective beside the compute of one rank, which may run from one position of its lane up to
/// another.
struct Beside {
  OpId collective;
  uint32_t after, before;
};

struct Follower {
  OpId collective;
  uint32_t position;  ///< in the compute lane of its rank
};

class DeviceSharing {
 public:
  DeviceSharing(const Program& program, const DeviceLoad& load, std::span<const Time> duration,
                OpRoutes& op_routes)
      : program_(program), load_(load), duration_(duration), op_routes_(op_routes) {}

  std::vector<SharedLink> run() {
    find_lanes();
    find_positions();
    find_followers();
    after_.assign(program_.ops.size(), none);
    before_.assign(program_.ops.size(), none);
    for (uint32_t rank = 0; rank < program_.ranks.size(); ++rank)
      if (compute_lane_[rank] != none && !lanes_[rank].empty()) share(rank);
    return std::move(resources_);
  }

 private:
  void find_lanes() {
    compute_lane_.assign(program_.ranks.size(), none);
    lanes_.resize(program_.ranks.size());
    for (LaneId lane = 0; lane < program_.lanes.size(); ++lane) {
      const Lane& l = program_.lanes[lane];
      if (l.policy != LanePolicy::in_order || program_.order(lane).empty()) continue;
      if (l.stream == Stream::compute) compute_lane_[l.rank] = lane;
      if (l.stream == Stream::data || l.stream == Stream::tensor) lanes_[l.rank].push_back(lane);
    }
  }

  void find_positions() {
    position_.assign(program_.ops.size(), none);
    for (const LaneId lane : compute_lane_) {
      if (lane == none) continue;
      const std::span<const OpId> order = program_.order(lane);
      for (uint32_t k = 0; k < order.size(); ++k) position_[order[k]] = k;
    }
  }

  /// Finds what waits for a collective on each of its ranks.
  void find_followers() {
    followers_.resize(program_.ranks.size());
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      if (program_.type(op).kind != OpKind::collective) continue;
      for (const Edge edge : program_.after(op))
        if (position_[edge.to()] != none)
          followers_[program_.ops[edge.to()].rank].push_back({op, position_[edge.to()]});
    }
  }

  void share(uint32_t rank) {
    const std::vector<Beside> all = beside(rank);
    if (all.empty()) return;
    SharedLink processors{per_second * shares_of_all, {}, true}, memory = processors;
    std::set<uint32_t> seen;  // ways
    for (const Beside& one : all) {
      const uint32_t route = op_routes_.route_of[one.collective];
      if (route == none) continue;
      if (seen.insert(route).second)
        add_collective(rank, one.collective, route, processors, memory);
      const std::span<const OpId> order = program_.order(compute_lane_[rank]);
      for (uint32_t k = one.after + 1; k < one.before; ++k)
        add_compute(rank, order[k], processors, memory);
    }
    route_of_type_.clear();
    for (SharedLink* resource : {&processors, &memory}) {
      std::sort(resource->loads.begin(), resource->loads.end());
      resources_.push_back(std::move(*resource));
    }
  }

  /// Returns the collectives between whose neighbours in the compute lane other ops stand.
  std::vector<Beside> beside(uint32_t rank) {
    const std::span<const OpId> order = program_.order(compute_lane_[rank]);
    for (uint32_t k = 0; k < order.size(); ++k)
      for (const Edge edge : program_.after(order[k])) after_[edge.to()] = k;
    for (const Follower& follower : followers_[rank])
      before_[follower.collective] = std::min(before_[follower.collective], follower.position);
    std::vector<Beside> all;
    for (const LaneId lane : lanes_[rank]) {
      for (const OpId op : program_.order(lane)) {
        if (program_.type(op).kind != OpKind::collective) continue;
        const uint32_t before = std::min(before_[op], static_cast<uint32_t>(order.size()));
        if (after_[op] + 1 < before) all.push_back({op, after_[op], before});
        after_[op] = before_[op] = none;
      }
    }
    return all;
  }

  void add_collective(uint32_t rank, OpId op, uint32_t route, SharedLink& processors,
                      SharedLink& memory) const {
    const OpRoute& taken = op_routes_.routes[route];
    const std::vector<int32_t>& devices = program_.groups[program_.ops[op].peer];
    const OpType& type = program_.type(op);
    const std::optional<double> held = load_.processors_held(type.collective, devices, type.bytes);
    if (!held) return;
    const double bytes_per_s = load_.memory_bandwidth(program_.ranks[rank].device);
    const double traffic = traffic_of_a_sent_byte * taken.bandwidth / bytes_per_s;
    const double ns = taken.bytes / taken.bandwidth * per_second;
    if (thousandths(*held) > 0) processors.loads.push_back({route, ns, thousandths(*held)});
    if (thousandths(traffic) > 0) memory.loads.push_back({route, ns, thousandths(traffic)});
  }

  void add_compute(uint32_t rank, OpId op, SharedLink& processors, SharedLink& memory) {
    if (op_routes_.route_of[op] != none || duration_[op] == Time{}) return;
    const auto [found, is_new] = route_of_type_.try_emplace(
        program_.ops[op].type, static_cast<uint32_t>(op_routes_.routes.size()));
    op_routes_.route_of[op] = found->second;
    if (is_new) {
      const double ns = in_seconds(duration_[op]) * per_second;
      op_routes_.routes.push_back(
          {.bytes = ns, .bandwidth = per_second, .lane = compute_lane_[rank], .computes = true});
      processors.loads.push_back({found->second, ns, thousandths(1)});
      const int busy = thousandths(memory_busy(rank, op));
      if (busy > 0) memory.loads.push_back({found->second, ns, busy});
    }
    op_routes_.routes[found->second].ops += program_.times(op);
  }

  /// The fraction of the op's time that its bytes alone would take.
  double memory_busy(uint32_t rank, OpId op) const {
    double bytes = 0;
    for (const Work& work : program_.works_of(program_.type(op)))
      bytes += static_cast<double>(work.read.count) + static_cast<double>(work.written.count);
    const double bytes_per_s = load_.memory_bandwidth(program_.ranks[rank].device);
    return bytes / bytes_per_s / in_seconds(duration_[op]);
  }

  const Program& program_;
  const DeviceLoad& load_;
  std::span<const Time> duration_;
  OpRoutes& op_routes_;
  std::vector<LaneId> compute_lane_;              // by rank
  std::vector<std::vector<LaneId>> lanes_;        // by rank, of its collectives
  std::vector<uint32_t> position_;                // by op, in its rank's compute lane
  std::vector<std::vector<Follower>> followers_;  // by rank
  std::vector<uint32_t> after_, before_;          // by op, in the lane of the rank at hand
  std::map<uint32_t, uint32_t> route_of_type_;    // of the rank at hand
  std::vector<SharedLink> resources_;
};

}  // namespace

std::vector<SharedLink> share_devices(const Program& program, const Prices& prices,
                                      std::span<const Time> duration, OpRoutes& op_routes) {
  if (!prices.device_load) return {};
  return DeviceSharing(program, *prices.device_load, duration, op_routes).run();
}

}  // namespace pipewright
