#include "topology/crossings.hpp"

#include <algorithm>

#include "topology/dealt_nics.hpp"

namespace pipewright {
namespace {

/// The crossings that cost least of those that are considered.
class Cheapest {
 public:
  void consider(RouteCost cost, const Crossing& one) {
    if (!cost.reachable() || best_ < cost) return;
    if (cost < best_) all_.clear();
    best_ = cost;
    all_.push_back(one);
  }
  /// Tells whether something cheaper than `cost` was considered.
  bool beats(RouteCost cost) const { return best_ < cost; }
  std::vector<Crossing> sorted() {
    std::sort(all_.begin(), all_.end());
    return std::move(all_);
  }

 private:
  RouteCost best_ = unreachable;
  std::vector<Crossing> all_;
};

/// A link by which routes of a device may leave or enter its node, and the cost up to its far end
/// or from its near end on.
struct Door {
  RouteCost cost;
  LinkId link = 0;
  auto operator<=>(const Door&) const = default;
};

/// NICs that routes pass by.
struct Avoided {
  std::vector<VertexId> of_a, of_b;
};

class Crossings {
 public:
  Crossings(const Wiring& wiring, const Searches& searches, VertexId a, VertexId b,
            const Avoided& avoided)
      : wiring_(wiring),
        searches_(searches),
        a_(a),
        b_(b),
        avoided_(avoided),
        from_a_(searches.in_node(a, SearchWay::from_source)),
        to_b_(searches.in_node(b, SearchWay::to_source)) {}

  // No path across the fabric costs less than nothing. So doors that are dearer by themselves than
  // a whole route need no search of the fabric behind them.
  std::vector<Crossing> run() {
    const std::vector<Door> entries = entries_from_fabric();
    for (const Door& exit : exits()) {
      if (cheapest_.beats(exit.cost)) break;
      consider_direct(exit);
      if (node_at_end(exit.link) == fabric) consider_fabric(exit, entries);
    }
    return cheapest_.sorted();
  }

 private:
  /// Tells whether a route of `device` may leave or enter its node at `end`: not at another device,
  /// and not at a NIC that others use.
  bool ends_at(VertexId end, VertexId device) const {
    const std::vector<VertexId>& avoided = device == a_ ? avoided_.of_a : avoided_.of_b;
    return end == device || (wiring_.vertices[end].kind != VertexKind::device &&
                             std::ranges::find(avoided, end) == avoided.end());
  }
  NodeId node_at_end(LinkId link) const { return wiring_.vertices[wiring_.links[link].to].node; }

  std::vector<Door> exits() const {
    std::vector<Door> doors;
    for (const LinkId link : searches_.exits(wiring_.vertices[a_].node)) {
      const Link& leaving = wiring_.links[link];
      const RouteCost cost = searches_.cost(from_a_, leaving.from) + cost_of(leaving);
      if (ends_at(leaving.from, a_) && cost.reachable()) doors.push_back({cost, link});
    }
    std::sort(doors.begin(), doors.end());
    return doors;
  }

  std::vector<Door> entries_from_fabric() const {
    std::vector<Door> doors;
    for (const LinkId back : searches_.exits(wiring_.vertices[b_].node)) {
      const Link& entering = wiring_.links[opposite(back)];
      const RouteCost cost = cost_of(entering) + searches_.cost(to_b_, entering.to);
      if (node_at_end(back) == fabric && ends_at(entering.to, b_) && cost.reachable())
        doors.push_back({cost, opposite(back)});
    }
    std::sort(doors.begin(), doors.end());
    return doors;
  }

  void consider_direct(const Door& exit) {
    const Link& link = wiring_.links[exit.link];
    if (node_at_end(exit.link) == wiring_.vertices[b_].node && ends_at(link.to, b_))
      cheapest_.consider(exit.cost + searches_.cost(to_b_, link.to), {exit.link, exit.link});
  }

  void consider_fabric(const Door& exit, const std::vector<Door>& entries) {
    for (const Door& entry : entries) {
      if (cheapest_.beats(exit.cost + entry.cost)) return;
      const Searches::Search& across = searches_.across_fabric(wiring_.links[exit.link].to);
      const RouteCost middle = searches_.cost(across, wiring_.links[entry.link].from);
      cheapest_.consider(exit.cost + middle + entry.cost, {exit.link, entry.link});
    }
  }

  const Wiring& wiring_;
  const Searches& searches_;
  VertexId a_, b_;
  const Avoided& avoided_;
  Searches::Search from_a_, to_b_;
  Cheapest cheapest_;
};

}  // namespace

std::vector<Crossing> cheapest_crossings(const Wiring& wiring, const Searches& searches, VertexId a,
                                         VertexId b) {
  const Avoided others{dealt_to_others(wiring, searches, a), dealt_to_others(wiring, searches, b)};
  std::vector<Crossing> own = Crossings(wiring, searches, a, b, others).run();
  if (!own.empty() || (others.of_a.empty() && others.of_b.empty())) return own;
  return Crossings(wiring, searches, a, b, {}).run();  // own NICs are not joined
}

}  // namespace pipewright
