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

class DeviceSharing {
 public:
  DeviceSharing(const Program& program, const DeviceLoad& load, std::span<const Time> duration,
                OpRoutes& op_routes)
      : program_(program), load_(load), duration_(duration), op_routes_(op_routes) {}

  std::vector<SharedLink> run(std::span<const RankBesideCompute> beside) {
    for (uint32_t rank = 0; rank < beside.size(); ++rank)
      if (!beside[rank].collectives.empty()) share(rank, beside[rank]);
    return std::move(resources_);
  }

 private:
  void share(uint32_t rank, const RankBesideCompute& beside) {
    SharedLink processors{per_second * shares_of_all, {}, true}, memory = processors;
    std::set<uint32_t> seen;  // ways
    for (const BesideCompute& one : beside.collectives) {
      const uint32_t route = op_routes_.route_of[one.collective];
      if (route == none) continue;
      if (seen.insert(route).second)
        add_collective(rank, one.collective, route, processors, memory);
      const std::span<const OpId> order = program_.order(beside.lane);
      for (uint32_t k = one.after + 1; k < one.before; ++k)
        add_compute(rank, order[k], beside.lane, processors, memory);
    }
    route_of_type_.clear();
    for (SharedLink* resource : {&processors, &memory}) {
      std::sort(resource->loads.begin(), resource->loads.end());
      resources_.push_back(std::move(*resource));
    }
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

  void add_compute(uint32_t rank, OpId op, LaneId lane, SharedLink& processors,
                   SharedLink& memory) {
    if (op_routes_.route_of[op] != none || duration_[op] == Time{}) return;
    const auto [found, is_new] = route_of_type_.try_emplace(
        program_.ops[op].type, static_cast<uint32_t>(op_routes_.routes.size()));
    op_routes_.route_of[op] = found->second;
    if (is_new) {
      const double ns = in_seconds(duration_[op]) * per_second;
      op_routes_.routes.push_back(
          {.bytes = ns, .bandwidth = per_second, .lane = lane, .computes = true});
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
  std::map<uint32_t, uint32_t> route_of_type_;  // of the rank at hand
  std::vector<SharedLink> resources_;
};

}  // namespace

std::vector<SharedLink> share_devices(const Program& program, const Prices& prices,
                                      std::span<const Time> duration,
                                      std::span<const RankBesideCompute> beside,
                                      OpRoutes& op_routes) {
  if (!prices.device_load) return {};
  return DeviceSharing(program, *prices.device_load, duration, op_routes).run(beside);
}

}  // namespace pipewright
