#include "engine/op_routes.hpp"

#include <map>
#include <tuple>
#include <unordered_map>

namespace pipewright {
namespace {

/// A message or collective and those it stands for, by the byte.
struct Unit {
  double volume = 1, bandwidth = 0;
  std::shared_ptr<const SharesByInstance> shares;
};

/// The key of ops of one type: a message between two ranks, or a collective of a group.
struct Sort {
  uint32_t type = none, rank = none, peer = none;
  bool operator==(const Sort&) const = default;
};
struct HashOfSort {
  size_t operator()(const Sort& sort) const {
    const uint64_t pair = uint64_t{sort.rank} << 32 | sort.peer;
    return std::hash<uint64_t>{}((pair ^ sort.type * 0x9e3779b97f4a7c15ull) *
                                 0xff51afd7ed558ccdull);
  }
};

bool nearly(double a, double b) { return a == b || std::abs(a - b) <= 1e-9 * std::abs(b); }

class RouteFinder {
 public:
  RouteFinder(const Program& program, const Topology& topology, const Prices& prices,
              const Mirror& mirror)
      : program_(program),
        topology_(topology),
        prices_(prices),
        mirror_(mirror),
        last_(program.types.size()) {}

  std::optional<OpRoutes> run() {
    op_routes_.route_of.assign(program_.ops.size(), none);
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      op_routes_.ops += program_.times(op);
      if (!moves_bytes(op)) continue;
      const uint32_t route = route_of(op);
      if (route == none) return std::nullopt;
      op_routes_.route_of[op] = route;
      op_routes_.routes[route].ops += program_.times(op);
    }
    return std::move(op_routes_);
  }

 private:
  bool moves_bytes(OpId id) const {
    const Op& op = program_.ops[id];
    const OpType& type = program_.types[op.type];
    if (type.bytes == Bytes{}) return false;
    if (type.kind == OpKind::collective) return program_.groups[op.peer].size() > 1;
    if (type.kind == OpKind::copy) return true;
    return type.kind == OpKind::transfer &&
           program_.ranks[op.rank].device != program_.ranks[op.peer].device;
  }

  uint32_t route_of(OpId id) {
    const Op& op = program_.ops[id];
    const bool collective = program_.types[op.type].kind == OpKind::collective;
    const Sort sort{op.type, collective ? none : op.rank, op.peer};
    auto& [last, route] = last_[op.type];
    if (sort == last) return route;
    last = sort;
    const auto [found, is_new] = known_.try_emplace(sort, none);
    if (is_new) found->second = add(op);
    return route = found->second;
  }

  uint32_t add(const Op& op) {
    const OpType& type = program_.types[op.type];
    const Unit* unit = unit_of(op, type);
    if (!unit) return none;
    const bool keeps_order =
        op.lane != none && program_.lanes[op.lane].policy != LanePolicy::matching;
    const double bytes = static_cast<double>(type.bytes.count) * unit->volume;
    const double needed_s = bytes / unit->bandwidth;
    const double moving_s = measured_s(op, type).value_or(needed_s);
    // Algorithms that send less than a ring are faster than one, but no link is.
    const double sent = moving_s < needed_s ? moving_s * unit->bandwidth : bytes;
    op_routes_.routes.push_back(
        {.bytes = sent,
         .bandwidth = moving_s == needed_s ? unit->bandwidth : sent / moving_s,
         .shares = unit->shares,
         .lane = keeps_order ? op.lane : none,
         .channel = channel_of(op, type)});
    return static_cast<uint32_t>(op_routes_.routes.size() - 1);
  }

  /// A message in a lane already has its order.
  uint32_t channel_of(const Op& op, const OpType& type) {
    if (type.kind != OpKind::transfer || op.lane != none) return none;
    const auto [found, is_new] = channels_.try_emplace({op.rank, op.peer}, op_routes_.channels);
    op_routes_.channels += is_new;
    return found->second;
  }

  std::optional<double> measured_s(const Op& op, const OpType& type) const {
    if (type.resharding != none || !prices_.source) return std::nullopt;
    const PriceSource& source = *prices_.source;
    std::optional<double> moving_s;
    if (type.kind == OpKind::collective)
      moving_s = source.collective_moving(type.collective, program_.groups[op.peer], type.bytes);
    if (type.kind == OpKind::transfer)
      moving_s = source.transfer_moving(program_.ranks[op.rank].device,
                                        program_.ranks[op.peer].device, type.bytes);
    return moving_s > 0 ? moving_s : std::nullopt;
  }

  LinkFootprint footprint_of(const OpType& type, const std::vector<int32_t>& devices) const {
    if (type.kind == OpKind::collective)
      return collective_footprint(topology_, type.collective, devices);
    if (type.kind == OpKind::copy) return host_footprint(topology_, devices.front(), type.to_host);
    return message_footprint(topology_, devices.front(), devices.back());
  }

  /// Types differ in bytes, but take the same routes.
  const Unit* unit_of(const Op& op, const OpType& type) {
    const bool collective = type.kind == OpKind::collective;
    int kind = collective ? static_cast<int>(type.collective) : -1;
    if (type.kind == OpKind::copy) kind = type.to_host ? -2 : -3;
    const auto [found, is_new] =
        units_.try_emplace({kind, collective ? 0 : op.rank, op.peer, type.resharding});
    if (is_new) found->second = find_unit(op, type);
    const std::optional<Unit>& unit = found->second;
    return unit ? &*unit : nullptr;
  }

  /// It stands for itself only.
  Unit resharding_unit(const OpType& type) const {
    LinkFootprint footprint = prices_.resharding->footprint(type.resharding, type.bytes);
    return {footprint.volume, footprint.bandwidth,
            std::make_shared<const SharesByInstance>(1, std::move(footprint.shares))};
  }

  std::optional<Unit> find_unit(const Op& op, const OpType& type) const {
    if (type.resharding != none) return resharding_unit(type);
    Unit unit;
    SharesByInstance shares;
    for (const std::vector<int32_t>& instance : mirror_(devices_of(program_, op))) {
      LinkFootprint footprint = footprint_of(type, instance);
      const bool first = shares.empty();
      if (!first && !nearly(footprint.bandwidth, unit.bandwidth)) return std::nullopt;
      if (first) {
        unit.volume = footprint.volume;
        unit.bandwidth = footprint.bandwidth;
      }
      shares.push_back(std::move(footprint.shares));
    }
    if (shares.empty()) return std::nullopt;
    unit.shares = std::make_shared<const SharesByInstance>(std::move(shares));
    return unit;
  }

  const Program& program_;
  const Topology& topology_;
  const Prices& prices_;
  const Mirror& mirror_;
  OpRoutes op_routes_;
  std::unordered_map<Sort, uint32_t, HashOfSort> known_;
  std::map<std::tuple<int, uint32_t, uint32_t, uint32_t>, std::optional<Unit>> units_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> channels_;  // by sender and receiver
  std::vector<std::pair<Sort, uint32_t>> last_;                 // by type: what its last op went
};

}  // namespace

std::vector<int32_t> devices_of(const Program& program, const Op& op) {
  const OpKind kind = program.types[op.type].kind;
  if (kind == OpKind::collective) return program.groups[op.peer];
  std::vector<int32_t> devices{program.ranks[op.rank].device};
  if (kind == OpKind::transfer) devices.push_back(program.ranks[op.peer].device);
  return devices;
}

std::optional<OpRoutes> find_op_routes(const Program& program, const Topology& topology,
                                       const Prices& prices, const Mirror& mirror) {
  return RouteFinder(program, topology, prices, mirror).run();
}

std::vector<double> bytes_by_link(const OpRoutes& op_routes, const Topology& topology) {
  std::vector<double> bytes(topology.links().size());
  for (const OpRoute& route : op_routes.routes)
    for (const std::vector<LinkShare>& shares : *route.shares)
      for (const LinkShare& share : shares)
        bytes[share.link] += route.bytes * share.share * as_double(route.ops);
  return bytes;
}

}  // namespace pipewright
