#include "engine/contention.hpp"

#include <algorithm>
#include <map>

#include "engine/device_sharing.hpp"
#include "engine/redundant_links.hpp"
#include "engine/ways.hpp"

namespace pipewright {
namespace {

using Load = SharedLink::Load;

constexpr double tolerance = 1e-9;

/// By capacity and loads, which is all that links of one kind have in common.
using Kind = std::pair<double, std::vector<Load>>;

struct NamedKind {
  Kind kind;
  bool of_device = false;
};

/// Sorts, and counts those that are equal.
std::vector<Load> counted(std::vector<Load> loads) {
  std::sort(loads.begin(), loads.end());
  size_t kept = 0;
  for (size_t k = 1; k < loads.size(); ++k) {
    const bool again = loads[k].way == loads[kept].way && loads[k].bytes == loads[kept].bytes;
    if (again)
      ++loads[kept].times;
    else
      loads[++kept] = loads[k];
  }
  loads.resize(kept + 1);
  return loads;
}

class Sorting {
 public:
  /// `left_out`: by link; empty for none.
  Sorting(const Program& program, const Topology& topology, LaidWays laid,
          const std::vector<bool>& left_out)
      : topology_(topology), laid_(std::move(laid)), lanes_(program.lanes.size()) {
    std::vector<std::vector<Load>> loads = loads_by_link();
    for (LinkId link = 0; link < left_out.size(); ++link)
      if (left_out[link]) loads[link].clear();
    name_kinds(std::move(loads));
  }

  /// To be called once, before run().
  void add_devices(const Program& program, const Prices& prices, std::span<const Time> duration) {
    for (DeviceResource& one : share_devices(program, prices, duration, laid_)) {
      std::sort(one.loads.begin(), one.loads.end());
      kinds_.push_back({{one.capacity, std::move(one.loads)}, true});
    }
  }

  Contention run() {
    Contention contention;
    contention.cut = cut();
    for (const auto& [kind, of_device] : kinds_) fillable_.push_back(can_fill(kind));
    contention.alike = ways_are_alike();
    std::vector<bool> needed(laid_.ways.size());
    for (size_t k = 0; k < kinds_.size(); ++k) {
      if (!fillable_[k]) continue;
      auto& [kind, of_device] = kinds_[k];
      for (const Load& load : kind.second) needed[load.way] = true;
      contention.links.push_back({kind.first, std::move(kind.second), of_device});
    }
    for (const LaidWay& way : laid_.ways)
      contention.ways.push_back({way.bytes, way.bandwidth, way.computes, way.channel});
    contention.channels = laid_.channels;
    contention.way_of = std::move(laid_.way_of);
    for (uint32_t& way : contention.way_of)
      if (way != none && !needed[way]) way = none;
    return contention;
  }

 private:
  std::vector<std::vector<Load>> loads_by_link() const {
    std::vector<std::vector<Load>> loads(topology_.links().size());
    for (uint32_t w = 0; w < laid_.ways.size(); ++w)
      for (const std::vector<LinkShare>& shares : *laid_.ways[w].shares)
        for (const LinkShare& share : shares)
          loads[share.link].push_back({w, laid_.ways[w].bytes * share.share});
    return loads;
  }

  void name_kinds(std::vector<std::vector<Load>> loads) {
    std::map<Kind, uint32_t> names;
    kind_of_.assign(loads.size(), none);
    for (LinkId link = 0; link < loads.size(); ++link) {
      if (loads[link].empty()) continue;
      const auto name = static_cast<uint32_t>(names.size());
      Kind kind{topology_.links()[link].bandwidth.bytes_per_s, counted(std::move(loads[link]))};
      kind_of_[link] = names.try_emplace(std::move(kind), name).first->second;
    }
    kinds_.resize(names.size());
    while (!names.empty()) {
      auto kind = names.extract(names.begin());
      kinds_[kind.mapped()].kind = std::move(kind.key());
    }
  }

  bool ways_are_alike() const {
    return std::all_of(laid_.ways.begin(), laid_.ways.end(), [&](const LaidWay& way) {
      const std::vector<Load> first = kinds_on(way, 0);
      for (size_t k = 1; k < way.shares->size(); ++k)
        if (kinds_on(way, k) != first) return false;
      return true;
    });
  }

  /// A way's links that might be full, by kind, in the k-th place that it stands for.
  std::vector<Load> kinds_on(const LaidWay& way, size_t k) const {
    std::vector<Load> kinds;
    for (const LinkShare& share : (*way.shares)[k]) {
      const uint32_t kind = kind_of_[share.link];
      if (kind != none && fillable_[kind]) kinds.push_back({kind, share.share});
    }
    std::sort(kinds.begin(), kinds.end());
    return kinds;
  }

  double demand(const Load& load) const {
    const LaidWay& way = laid_.ways[load.way];
    return load.bytes * (way.bandwidth / way.bytes) * load.times;
  }

  /// Even if all went over it at once that can: of the ways that one lane keeps apart only one.
  bool can_fill(const Kind& kind) {
    double sum = 0;
    for (const Load& load : kind.second) {
      const LaidWay& way = laid_.ways[load.way];
      if (way.lane == none) {
        sum += demand(load) * way.ops;
        continue;
      }
      double& most = lanes_[way.lane];
      sum += std::max(0.0, demand(load) - most);
      most = std::max(most, demand(load));
    }
    for (const Load& load : kind.second)
      if (laid_.ways[load.way].lane != none) lanes_[laid_.ways[load.way].lane] = 0;
    return sum > kind.first * (1 + tolerance);
  }

  Time cut() const {
    double longest = 0;
    for (const NamedKind& one : kinds_) {
      const auto& [capacity, loads] = one.kind;
      double bytes = 0;
      for (const Load& load : loads) bytes += load.bytes * load.times * laid_.ways[load.way].ops;
      longest = std::max(longest, bytes / capacity);
    }
    // Lengths are rounded to picoseconds, and sums of doubles are not exact either.
    const Time rounding = picoseconds(static_cast<int64_t>(laid_.way_of.size()));
    return std::max(Time{}, seconds(longest * (1 - tolerance)) - rounding);
  }

  const Topology& topology_;
  LaidWays laid_;
  std::vector<uint32_t> kind_of_;  // by link
  std::vector<NamedKind> kinds_;
  std::vector<bool> fillable_;  // by kind
  std::vector<double> lanes_;   // of each, most of what it lets go over the kind at hand
};

}  // namespace

Contention find_contention(const Program& program, const Topology& topology, const Prices& prices,
                           std::span<const Time> duration, const LaidWays& laid) {
  const auto sorted = [&](const std::vector<bool>& left_out) {
    Sorting sorting(program, topology, laid, left_out);
    sorting.add_devices(program, prices, duration);
    return sorting.run();
  };
  Contention contention = sorted({});
  if (contention.alike) return contention;
  // What is unlike may not matter.
  Contention without = sorted(redundant_links(topology, laid));
  without.cut = contention.cut;
  return without;
}

}  // namespace pipewright
