#include "topology/region.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// A chain device 0 - host - device 1 - nic with 1, 2 and 4 us there and ten times that back.
struct Chain {
  Wiring wiring;
  std::vector<VertexId> members;
  std::vector<LinkId> inner;
  std::vector<uint32_t> place{0, 1, 2, 3};

  Chain() {
    const VertexId a = wiring.add_device(0);
    const VertexId host = wiring.add(VertexKind::host, 0, 0);
    const VertexId b = wiring.add_device(0);
    const VertexId nic = wiring.add(VertexKind::nic, 0, 0);
    const auto after = [](int64_t us) { return LinkType{.latency = microseconds(us)}; };
    wiring.connect(a, host, after(1), after(10));
    wiring.connect(host, b, after(2), after(20));
    wiring.connect(b, nic, after(4), after(40));
    members = {a, host, b, nic};
    for (LinkId link = 0; link < wiring.links.size(); ++link) inner.push_back(link);
  }
};

TEST(Region, ways_go_over_hosts_but_not_over_devices) {
  const Chain chain;
  const Region region(chain.wiring, chain.members, chain.inner, chain.place);
  const auto cost = region.search(chain.wiring, 0, SearchWay::from_source, chain.place);
  EXPECT_EQ(cost[0], RouteCost{});
  EXPECT_EQ(cost[2], (RouteCost{.host_links = 2, .latency_ps = microseconds(3).ps, .links = 2}));
  EXPECT_FALSE(cost[3].reachable());
}

TEST(Region, ways_to_the_source_cost_what_the_other_direction_costs) {
  const Chain chain;
  const Region region(chain.wiring, chain.members, chain.inner, chain.place);
  const auto cost = region.search(chain.wiring, 0, SearchWay::to_source, chain.place);
  EXPECT_EQ(cost[2], (RouteCost{.host_links = 2, .latency_ps = microseconds(30).ps, .links = 2}));
}

}  // namespace
}  // namespace pipewright
