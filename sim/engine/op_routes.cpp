#include "engine/op_routes.hpp"

#include <map>
#include <tuple>
#include <unordered_map>

#include "base/error.hpp"
#include "engine/lay_footprint.hpp"

namespace pipewright {
namespace {

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

class RouteFinder {
 public:
  /// `laid` is null where no other run has the same footprints.
  RouteFinder(const Program& program, const Topology& topology, const Spreading& spreading,
              const Prices& prices, const Mirror& mirror, LaidLinks* laid)
      : program_(program),
        topology_(topology),
        spreading_(spreading),
        prices_(prices),
        mirror_(mirror),
        laid_(laid),
        last_(program.types.size()) {}

  std::optional<OpRoutes> run() {
    if (!find()) return std::nullopt;
    op_routes_.layout = laid_ && !reshards_
                            ? laid_->layout_of(footprints_)
                            : std::make_shared<const LinkLayout>(topology_, footprints_);
    return std::move(op_routes_);
  }

  /// Returns the bytes by link, where every op has a route.
  std::vector<double> bytes() {
    ensure(find(), "every op stands for itself");
    std::vector<double> bytes(topology_.links().size());
    for (const OpRoute& route : op_routes_.routes)
      for (const std::vector<LinkShare>& shares : footprints_[route.footprint]->shares)
        for (const LinkShare& share : shares)
          bytes[share.link] += route.bytes * share.share * as_double(route.ops);
    return bytes;
  }

 private:
  /// Finds all routes, without a layout. False where an op has none.
  bool find() {
    op_routes_.route_of.assign(program_.ops.size(), none);
    for (OpId op = 0; op < program_.ops.size(); ++op) {
      if (!moves_bytes(op)) continue;
      const uint32_t route = route_of(op);
      if (route == none) return false;
      op_routes_.route_of[op] = route;
      op_routes_.routes[route].ops += program_.times(op);
    }
    return true;
  }

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
    const uint32_t footprint = footprint_of(op, type);
    if (footprint == none) return none;
    const MirroredFootprint& laid = *footprints_[footprint];
    const bool keeps_order =
        op.lane != none && program_.lanes[op.lane].policy != LanePolicy::matching;
    const double bytes = static_cast<double>(type.bytes.count) * laid.volume;
    const double needed_s = bytes / laid.bandwidth;
    const double moving_s = measured_s(op, type).value_or(needed_s);
    // Algorithms that send less than a ring are faster than one, but no link is.
    const double sent = moving_s < needed_s ? moving_s * laid.bandwidth : bytes;
    op_routes_.routes.push_back(
        {.bytes = sent,
         .bandwidth = moving_s == needed_s ? laid.bandwidth : sent / moving_s,
         .footprint = footprint,
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

  /// Types differ in bytes, but take the same routes.
  uint32_t footprint_of(const Op& op, const OpType& type) {
    const Laid laid = form_of(type);
    const bool collective = laid.form == Laid::Form::collective;
    const auto [found, is_new] = known_footprints_.try_emplace(
        {laid.form, laid.collective, collective ? 0 : op.rank, op.peer, type.resharding}, none);
    if (is_new) found->second = numbered(find_footprint(op, type, laid));
    return found->second;
  }

  static Laid form_of(const OpType& type) {
    using Form = Laid::Form;
    if (type.kind == OpKind::collective) return {Form::collective, type.collective, {}};
    if (type.kind == OpKind::copy) return {type.to_host ? Form::to_host : Form::from_host, {}, {}};
    return {};
  }

  std::shared_ptr<const MirroredFootprint> find_footprint(const Op& op, const OpType& type,
                                                          Laid laid) {
    if (type.resharding != none) return resharding_footprint(type);
    laid.devices = devices_of(program_, op);
    return laid_ ? laid_->find(laid, mirror_) : lay(topology_, spreading_, laid, mirror_);
  }

  /// It stands for itself only, and no other run knows its number.
  std::shared_ptr<const MirroredFootprint> resharding_footprint(const OpType& type) {
    reshards_ = true;
    LinkFootprint one = prices_.resharding->footprint(type.resharding, type.bytes);
    return std::make_shared<const MirroredFootprint>(
        MirroredFootprint{one.volume, one.bandwidth, SharesByInstance(1, std::move(one.shares))});
  }

  /// Returns the place of a footprint among those of the program, `none` for none.
  uint32_t numbered(std::shared_ptr<const MirroredFootprint> footprint) {
    if (!footprint) return none;
    const auto [found, is_new] =
        numbers_.try_emplace(footprint.get(), static_cast<uint32_t>(footprints_.size()));
    if (is_new) footprints_.push_back(std::move(footprint));
    return found->second;
  }

  const Program& program_;
  const Topology& topology_;
  const Spreading& spreading_;
  const Prices& prices_;
  const Mirror& mirror_;
  LaidLinks* laid_;
  OpRoutes op_routes_;
  Footprints footprints_;
  bool reshards_ = false;
  std::unordered_map<Sort, uint32_t, HashOfSort> known_;
  /// By form, kind of collective, rank, peer and resharding edge, the place among the footprints.
  std::map<std::tuple<Laid::Form, CollectiveKind, uint32_t, uint32_t, uint32_t>, uint32_t>
      known_footprints_;
  std::unordered_map<const MirroredFootprint*, uint32_t> numbers_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> channels_;  // by sender and receiver
  std::vector<std::pair<Sort, uint32_t>> last_;                 // by type: what its last op went
};

}  // namespace

std::vector<std::vector<int32_t>> only_itself(const std::vector<int32_t>& devices) {
  return {devices};
}

std::vector<int32_t> devices_of(const Program& program, const Op& op) {
  const OpKind kind = program.types[op.type].kind;
  if (kind == OpKind::collective) return program.groups[op.peer];
  std::vector<int32_t> devices{program.ranks[op.rank].device};
  if (kind == OpKind::transfer) devices.push_back(program.ranks[op.peer].device);
  return devices;
}

std::optional<OpRoutes> find_op_routes(const Program& program, const Prices& prices,
                                       const Mirror& mirror, LaidLinks& laid) {
  return RouteFinder(program, laid.topology(), laid.spreading(), prices, mirror, &laid).run();
}

std::optional<OpRoutes> find_op_routes(const Program& program, const Topology& topology,
                                       const Prices& prices, const Mirror& mirror) {
  const Spreading first;
  return RouteFinder(program, topology, first, prices, mirror, nullptr).run();
}

double LinkBytes::of(LinkId link) const {
  const uint32_t name = classes->of[link];
  return name == none ? 0 : bytes[name];
}

// Links of a class get the same sums in the same order.
LinkBytes bytes_by_link(const OpRoutes& op_routes) {
  const LinkKinds& kinds = op_routes.layout->kinds();
  LinkBytes sums{kinds.classes, std::vector<double>(kinds.classes->links.size())};
  for (const OpRoute& route : op_routes.routes) {
    if (route.footprint == none) continue;
    for (const ClassLoad& load : kinds.loads[route.footprint])
      for (int k = 0; k < load.times; ++k)
        sums.bytes[load.link_class] += route.bytes * load.share * as_double(route.ops);
  }
  return sums;
}

LinkBytes bytes_of_each(const Program& program, const Topology& topology, const Prices& prices,
                        const Spreading& spreading) {
  const Mirror itself = only_itself;
  const std::vector<double> bytes =
      RouteFinder(program, topology, spreading, prices, itself, nullptr).bytes();
  LinkClasses classes{std::vector<uint32_t>(bytes.size(), none), {}};
  LinkBytes sums;
  for (LinkId link = 0; link < bytes.size(); ++link) {
    if (bytes[link] == 0) continue;
    classes.of[link] = static_cast<uint32_t>(classes.links.size());
    classes.links.push_back({link});
    sums.bytes.push_back(bytes[link]);
  }
  sums.classes = std::make_shared<const LinkClasses>(std::move(classes));
  return sums;
}

}  // namespace pipewright
