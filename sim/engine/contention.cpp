#include "engine/contention.hpp"

#include <algorithm>
#include <bit>

#include "engine/device_sharing.hpp"
#include "engine/link_kinds.hpp"
#include "engine/redundant_links.hpp"

namespace pipewright {
namespace {

using Load = SharedLink::Load;

/// Which of the links and devices might be full at some time.
class Sorting {
 public:
  Sorting(size_t lanes, const LaidWays& laid, const LinkKinds& links,
          const std::vector<SharedLink>& devices)
      : laid_(laid), kind_of_(links.of), kinds_(links.kinds), lanes_(lanes) {
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

  bool ways_are_alike() const {
    return std::all_of(laid_.ways.begin(), laid_.ways.end(), [&](const LaidWay& way) {
      const std::vector<Load> first = kinds_on(way, 0);
      for (size_t k = 1; k < way.shares->size(); ++k)
        if (kinds_on(way, k) != first) return false;
      return true;
    });
  }

  /// Of each way in each of its places, a print of the kinds of links that it crosses there.
  std::vector<std::vector<uint64_t>> prints() const {
    std::vector<std::vector<uint64_t>> prints;
    for (const LaidWay& way : laid_.ways) {
      std::vector<uint64_t>& print = prints.emplace_back(way.shares->size());
      for (size_t k = 0; k < print.size(); ++k)
        for (const Load& crossed : kinds_on(way, k))
          print[k] += mixed(std::bit_cast<uint64_t>(crossed.bytes) ^ mixed(crossed.way));
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
        bytes += load.bytes * load.times * laid_.ways[load.way].ops;
      longest = std::max(longest, bytes / kind.capacity);
    }
    // Lengths are rounded to picoseconds, and sums of doubles are not exact either.
    const Time rounding = picoseconds(static_cast<int64_t>(laid_.way_of.size()));
    return std::max(Time{}, seconds(longest * (1 - load_tolerance)) - rounding);
  }

 private:
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
  bool can_fill(const SharedLink& kind) {
    double sum = 0;
    for (const Load& load : kind.loads) {
      const LaidWay& way = laid_.ways[load.way];
      if (way.lane == none) {
        sum += demand(load) * way.ops;
        continue;
      }
      double& most = lanes_[way.lane];
      sum += std::max(0.0, demand(load) - most);
      most = std::max(most, demand(load));
    }
    for (const Load& load : kind.loads)
      if (laid_.ways[load.way].lane != none) lanes_[laid_.ways[load.way].lane] = 0;
    return sum > kind.capacity * (1 + load_tolerance);
  }

  const LaidWays& laid_;
  std::vector<uint32_t> kind_of_;  // by link
  std::vector<SharedLink> kinds_;
  std::vector<bool> fillable_;  // by kind
  std::vector<double> lanes_;   // of each, most of what it lets go over the kind at hand
};

void forget_ways_over_none(Contention& contention) {
  std::vector<bool> needed(contention.ways.size());
  for (const SharedLink& link : contention.links)
    for (const Load& load : link.loads) needed[load.way] = true;
  for (uint32_t& way : contention.way_of)
    if (way != none && !needed[way]) way = none;
}

}  // namespace

std::vector<std::vector<uint64_t>> prints_of_links(const Program& program, const LaidWays& laid,
                                                   const LinkKinds& links,
                                                   const std::vector<bool>& redundant) {
  Sorting sorting(program.lanes.size(), laid, links, {});
  sorting.leave_out(redundant);
  return sorting.prints();
}

Contention find_contention(const Program& program, const Topology& topology, const Prices& prices,
                           std::span<const Time> duration, LaidWays laid) {
  const LinkKinds links = link_kinds(topology, laid);
  const std::vector<SharedLink> devices = share_devices(program, prices, duration, laid);
  Sorting sorting(program.lanes.size(), laid, links, devices);
  Contention contention;
  contention.cut = sorting.cut();
  contention.alike = sorting.ways_are_alike();
  if (!contention.alike) {
    // What is unlike may not matter.
    sorting.leave_out(redundant_links(topology, laid));
    contention.alike = sorting.ways_are_alike();
  }
  contention.links = sorting.links_that_may_be_full();
  for (const LaidWay& way : laid.ways)
    contention.ways.push_back({way.bytes, way.bandwidth, way.computes, way.channel});
  contention.channels = laid.channels;
  contention.way_of = std::move(laid.way_of);
  forget_ways_over_none(contention);
  return contention;
}

}  // namespace pipewright
