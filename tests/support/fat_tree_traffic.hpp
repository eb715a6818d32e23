// Random traffic on a three-level fat-tree of full bisection, with nothing of the product's
// topologies in it: k pods of k/2 edge and k/2 aggregation switches, k^3/4 hosts, links one way.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "base/units.hpp"

namespace pipewright::test {

class FatTree {
 public:
  explicit FatTree(uint32_t k) : half_(k / 2), hosts_(k * k * k / 4) {}

  uint32_t hosts() const { return hosts_; }
  /// As many links go up at each of the three levels as there are hosts, and as many down.
  uint32_t links() const { return 6 * hosts_; }

  /// The way of a flow that picks its aggregation and core switch at random.
  template <class Random>
  std::vector<uint32_t> route(uint32_t from, uint32_t to, Random& random) const {
    const uint32_t up_edge = from / half_, down_edge = to / half_;
    const uint32_t aggregation = draw(random, half_), core = draw(random, half_);
    std::vector<uint32_t> links{link(0, from)};
    if (up_edge != down_edge) {
      links.push_back(link(2, up_edge * half_ + aggregation));
      const uint32_t up_pod = up_edge / half_, down_pod = down_edge / half_;
      if (up_pod != down_pod) {
        links.push_back(link(4, (up_pod * half_ + aggregation) * half_ + core));
        links.push_back(link(5, (down_pod * half_ + aggregation) * half_ + core));
      }
      links.push_back(link(3, down_edge * half_ + aggregation));
    }
    links.push_back(link(1, to));
    return links;
  }

  template <class Random>
  static uint32_t draw(Random& random, uint32_t below) {
    return static_cast<uint32_t>(random() % below);
  }

 private:
  uint32_t link(uint32_t level, uint32_t index) const { return level * hosts_ + index; }
  uint32_t half_, hosts_;
};

struct RandomTraffic {
  std::vector<std::vector<uint32_t>> routes;
  std::vector<Bytes> bytes;
  std::vector<Time> starts;
};

/// Flows between random hosts, of 1 to 64 MiB, starting within `spread`.
inline RandomTraffic random_traffic(const FatTree& tree, size_t flows, Time spread) {
  std::mt19937_64 random(flows);
  RandomTraffic traffic;
  for (size_t flow = 0; flow < flows; ++flow) {
    const uint32_t from = FatTree::draw(random, tree.hosts());
    const uint32_t step = 1 + FatTree::draw(random, tree.hosts() - 1);
    traffic.routes.push_back(tree.route(from, (from + step) % tree.hosts(), random));
    traffic.bytes.push_back(MiB + Bytes{static_cast<int64_t>(random() % (63u << 20))});
    traffic.starts.push_back({static_cast<int64_t>(random() % (1 + spread.ps))});
  }
  return traffic;
}

}  // namespace pipewright::test
