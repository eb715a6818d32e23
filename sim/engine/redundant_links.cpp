#include "engine/redundant_links.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace pipewright {
namespace {

constexpr double tolerance = 1e-9;

using Route = std::vector<LinkShare>;

/// A route over the link at hand, and its share of it.
struct Crossing {
  const Route* route;
  double share;
};

enum class Side : uint8_t { before, after };

/// The links next to one by which all that crosses it comes, or by which it leaves, with the most
/// that they let through.
class Feeders {
 public:
  Feeders(const Topology& topology, LinkId link, Side side)
      : topology_(topology), link_(link), side_(side) {}

  /// False where it crosses none of them.
  bool add(const Crossing& crossing) {
    if (is_counted(crossing)) return true;
    const auto& route = *crossing.route;
    const auto next = std::find_if(route.begin(), route.end(),
                                   [&](const LinkShare& other) { return is_next(other.link); });
    if (next == route.end()) return false;
    feeders_.push_back({next->link, crossing.share / next->share});
    sum_ += topology_.links()[next->link].bandwidth.bytes_per_s * feeders_.back().ratio;
    return true;
  }

  double most() const { return sum_; }
  void keep_all(std::vector<bool>& kept) const {
    for (const Feeder& feeder : feeders_) kept[feeder.link] = true;
  }

 private:
  struct Feeder {
    LinkId link;
    double ratio;  ///< of bytes here to bytes there
  };

  bool is_next(LinkId other) const {
    const Link &a = topology_.links()[other], &b = topology_.links()[link_];
    return side_ == Side::before ? a.to == b.from : a.from == b.to;
  }

  bool is_counted(const Crossing& crossing) const {
    return std::any_of(feeders_.begin(), feeders_.end(), [&](const Feeder& feeder) {
      return std::any_of(
          crossing.route->begin(), crossing.route->end(), [&](const LinkShare& other) {
            return other.link == feeder.link && crossing.share <= feeder.ratio * other.share;
          });
    });
  }

  const Topology& topology_;
  LinkId link_;
  Side side_;
  std::vector<Feeder> feeders_;
  double sum_ = 0;
};

/// By link. Short routes first: a ring, which crosses much, is often let in by what a message is.
std::vector<std::vector<Crossing>> crossings_of(const Topology& topology, const LaidWays& laid) {
  std::set<const SharesOfAll*> all;
  for (const LaidWay& way : laid.ways)
    if (way.shares) all.insert(way.shares.get());
  std::vector<std::vector<Crossing>> crossings(topology.links().size());
  for (const SharesOfAll* shares : all)
    for (const Route& route : *shares)
      for (const LinkShare& share : route) crossings[share.link].push_back({&route, share.share});
  for (std::vector<Crossing>& of_link : crossings) {
    std::sort(of_link.begin(), of_link.end(), [](const Crossing& a, const Crossing& b) {
      return a.route->size() < b.route->size();
    });
  }
  return crossings;
}

}  // namespace

// The narrowest first: what a link relies on is decided before, and then follows from what is left,
// or is never redundant.
std::vector<bool> redundant_links(const Topology& topology, const LaidWays& laid) {
  const std::vector<std::vector<Crossing>> crossings = crossings_of(topology, laid);
  const auto capacity = [&](LinkId link) { return topology.links()[link].bandwidth.bytes_per_s; };
  std::vector<LinkId> narrowest_first(topology.links().size());
  std::iota(narrowest_first.begin(), narrowest_first.end(), 0);
  std::stable_sort(narrowest_first.begin(), narrowest_first.end(),
                   [&](LinkId a, LinkId b) { return capacity(a) < capacity(b); });
  std::vector<bool> redundant(topology.links().size()), relied_on(redundant.size());
  for (const LinkId link : narrowest_first) {
    if (crossings[link].empty() || relied_on[link]) continue;
    for (const Side side : {Side::before, Side::after}) {
      Feeders feeders(topology, link, side);
      const auto fits = [&](const Crossing& crossing) {
        return feeders.add(crossing) && feeders.most() <= capacity(link) * (1 + tolerance);
      };
      if (!std::all_of(crossings[link].begin(), crossings[link].end(), fits)) continue;
      redundant[link] = true;
      feeders.keep_all(relied_on);
      break;
    }
  }
  return redundant;
}

}  // namespace pipewright
