// Laws of exchanges between all members: what nodes that are wired alike put on links, taken
// together, is what their routes put there one by one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "clusters.hpp"
#include "network/collectives/collective.hpp"
#include "network/collectives/exchange_loads.hpp"
#include "network/collectives/registry.hpp"
#include "network/collectives/wired_alike.hpp"

namespace pipewright::collective {
namespace {

using enum CollectiveKind;

// Pods of two nodes, spines that are fewer than leaves want, and blocks below cores; rails that
// share a NIC; nodes with and without NVLink; unlike nodes; rings of rings.
const char* const clusters[] = {
    "{devices: 6, link: {latency: 5 us, bandwidth: 25 GB/s}}",
    "{node: dgx-a100-80g}",
    "{node: dgx-a100-80g, nodes: 5, fabric: {kind: fat-tree, link: hdr, nics: 8, switch_ports: 4}}",
    "{node: dgx-h100, nodes: 7, fabric: {kind: fat-tree, link: ndr, nics: 4, switch_ports: 6, "
    "oversubscription: 2}}",
    "{node: dgx-h100, nodes: 4, fabric: {kind: fat-tree, link: ndr, nics: 3, switch_ports: 4, "
    "spines: separate}}",
    "{node: dgx-1-v100-32g, nodes: 3}",
    "{node: {device: tpu-v5p, devices: 1}, nodes: 12, fabric: {kind: torus, dims: [3, 4], link: "
    "ici-v5p}}",
};

Members members_of(const Topology& topology, int count, int stride = 1) {
  std::vector<int> devices;
  for (int device = 0; device < topology.devices() && static_cast<int>(devices.size()) < count;
       device += stride)
    devices.push_back(device);
  return members_on(topology, devices);
}

/// The first so many devices, and every third.
std::vector<Members> some_members(const Topology& topology) {
  const int all = topology.devices();
  return {members_of(topology, all), members_of(topology, all - 1), members_of(topology, all, 3),
          members_of(topology, 2)};
}

Exchange exchange_of(const Members& members, bool along_rails) {
  Exchange exchange{.along_rails = along_rails};
  for (int rank = 0; rank < members.size(); ++rank)
    exchange.to.push_back({1'000'000 + rank * rank * 7'919});
  return exchange;
}

void expect_like_routes_one_by_one(const Topology& topology, const Members& members,
                                   bool along_rails) {
  const std::vector<Exchange> sizes = {
      exchange_of(members, along_rails),
      {.to = std::vector<Bytes>(members.devices.size(), {1}), .along_rails = along_rails}};
  LinkLoads loads(topology, sizes.size()), one_by_one(topology, sizes.size());
  add_exchanges(topology, members, sizes, loads);
  for (size_t size = 0; size < sizes.size(); ++size) {
    for (const Edge& edge : all_edges(members, {.exchange = sizes[size]})) {
      const Route route = topology.route(members.devices[static_cast<size_t>(edge.from)],
                                         members.devices[static_cast<size_t>(edge.to)]);
      for (const LinkId link : route.links)
        one_by_one.of(link)[size] += static_cast<double>(edge.bytes.count);
    }
  }
  for (LinkId link = 0; link < topology.links().size(); ++link)
    for (size_t size = 0; size < sizes.size(); ++size)
      ASSERT_EQ(loads.of(link)[size], one_by_one.of(link)[size]) << topology.name(link);
}

TEST(Exchange, of_all_members_loads_links_as_its_routes_do) {
  for (const char* cluster : clusters) {
    SCOPED_TRACE(cluster);
    const Topology topology = test::cluster_of(cluster).topology;
    for (const Members& members : some_members(topology)) {
      expect_like_routes_one_by_one(topology, members, false);
      if (members.per_node() > 0) expect_like_routes_one_by_one(topology, members, true);
    }
  }
}

TEST(Exchange, takes_as_long_by_all_sizes_as_by_each_and_as_its_edges_in_a_list) {
  const std::vector<Bytes> sizes = {{8}, {1'000'003}, {40'000'000}};
  for (const char* cluster : clusters) {
    SCOPED_TRACE(cluster);
    const Topology topology = test::cluster_of(cluster).topology;
    const Members members = members_of(topology, topology.devices());
    for (const Algorithm* one : {&algorithm::pairwise, &algorithm::hierarchical_all_to_all}) {
      if (!one->serves(all_to_all, members)) continue;
      const std::vector<Time> times = fluid_times(topology, members, *one, all_to_all, sizes);
      for (size_t i = 0; i < sizes.size(); ++i) {
        Fluid fluid = one->fluid(all_to_all, members, sizes[i]);
        EXPECT_EQ(times[i], fluid_time(topology, members, fluid));
        fluid.edges = all_edges(members, fluid);
        fluid.exchange.reset();
        EXPECT_EQ(times[i], fluid_time(topology, members, fluid));
      }
    }
  }
}

TEST(Exchange, ranks_in_like_places_of_nodes_wired_alike_have_routes_alike) {
  for (const char* cluster : clusters) {
    SCOPED_TRACE(cluster);
    const Topology topology = test::cluster_of(cluster).topology;
    const Members members = members_of(topology, topology.devices());
    const std::vector<int> places = places_wired_alike(topology, members);
    std::map<std::pair<int, int>, Route> known;
    for (int from = 0; from < members.size(); ++from) {
      for (int to = 0; to < members.size(); ++to) {
        if (topology.node(from) == topology.node(to)) continue;
        const Route route = topology.route(from, to);
        const Route& first = known.try_emplace({places[from], places[to]}, route).first->second;
        EXPECT_EQ(route.latency, first.latency);
        EXPECT_EQ(route.bottleneck, first.bottleneck);
      }
    }
  }
}

// Eight nodes of a pod each stand for all: 64 pairs of places within it and 64 to any other pod.
TEST(Exchange, nodes_on_the_same_leaves_are_wired_alike) {
  const Topology topology =
      test::cluster_of(
          "{node: dgx-a100-80g, nodes: 24, fabric: {kind: fat-tree, link: hdr, nics: 8, "
          "switch_ports: 16}}")
          .topology;
  const Members members = members_of(topology, topology.devices());
  const auto kinds = nodes_wired_alike(topology, members, NodeLinks(topology, members));
  ASSERT_EQ(kinds.size(), 3u);
  for (const std::vector<size_t>& kind : kinds) EXPECT_EQ(kind.size(), 8u);
}

TEST(Exchange, message_by_message_takes_as_long_by_all_sizes_as_by_each) {
  const std::vector<Bytes> sizes = {{8}, {1'000'003}, {40'000'000}};
  for (const char* cluster : clusters) {
    SCOPED_TRACE(cluster);
    const Topology topology = test::cluster_of(cluster).topology;
    const Members members = members_of(topology, topology.devices());
    const std::vector<Time> times =
        expanded_times(topology, members, algorithm::pairwise, all_to_all, sizes);
    for (size_t i = 0; i < sizes.size(); ++i)
      EXPECT_EQ(times[i], expanded_time(topology, members,
                                        algorithm::pairwise.rounds(all_to_all, members, sizes[i])));
  }
}

}  // namespace
}  // namespace pipewright::collective
