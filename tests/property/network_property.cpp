// The alpha-beta model over random clusters, groups and sizes.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "clusters.hpp"
#include "network/alpha_beta.hpp"

namespace pipewright {
namespace {

constexpr CollectiveKind kinds[] = {CollectiveKind::all_reduce,     CollectiveKind::all_gather,
                                    CollectiveKind::reduce_scatter, CollectiveKind::all_to_all,
                                    CollectiveKind::broadcast,      CollectiveKind::reduce};

/// A cluster of 2 to 64 devices in any of the forms that a user may write.
rc::Gen<std::string> some_cluster() {
  return rc::gen::exec([] {
    const int nodes = *rc::gen::inRange(2, 5);
    switch (*rc::gen::inRange(0, 4)) {
      case 0: {
        const auto node = *rc::gen::element<std::string>("dgx-a100-80g", "p3.16xlarge", "mi300x",
                                                         "p2.8xlarge", "p4d.24xlarge");
        const int nics = *rc::gen::inRange(1, 17);
        return fmt::format(
            "{{node: {}, nodes: {}, fabric: {{kind: fat-tree, link: hdr, nics: {}}}}}", node, nodes,
            nics);
      }
      case 1:
        return fmt::format(
            "{{groups: [{{node: p3.8xlarge, nodes: {}}}, {{node: p3.2xlarge, nodes: {}}}], fabric: "
            "{{kind: star, link: eth-10}}}}",
            nodes, *rc::gen::inRange(1, 5));
      case 2:
        return fmt::format("{{node: dgx-1-p100, devices: {}}}", *rc::gen::inRange(2, 9));
      default:
        return fmt::format("{{devices: {}, link: {{latency: {} ns, bandwidth: {} MB/s}}}}",
                           *rc::gen::inRange(2, 64), *rc::gen::inRange(0, 100000),
                           *rc::gen::inRange(1, 100000));
    }
  });
}

std::vector<int> some_group(int devices) {
  auto group = *rc::gen::unique<std::vector<int>>(*rc::gen::inRange(2, std::min(devices, 16) + 1),
                                                  rc::gen::inRange(0, devices));
  return group;
}

Bytes some_size() { return {*rc::gen::inRange<int64_t>(0, 1'000'000'000)}; }

RC_GTEST_PROP(AlphaBeta, more_bytes_never_take_less_time, ()) {
  const Cluster cluster = test::cluster_of(*some_cluster());
  const AlphaBeta network(cluster.topology);
  const Ring ring = network.ring(some_group(cluster.devices()));
  const Bytes fewer = some_size(), more = fewer + some_size();
  for (const CollectiveKind kind : kinds)
    RC_ASSERT(network.collective(kind, ring, fewer) <= network.collective(kind, ring, more));
}

RC_GTEST_PROP(AlphaBeta, all_reduce_is_reduce_scatter_and_all_gather, ()) {
  const Cluster cluster = test::cluster_of(*some_cluster());
  const AlphaBeta network(cluster.topology);
  const Ring ring = network.ring(some_group(cluster.devices()));
  const Bytes size = some_size();
  const Time both = network.collective(CollectiveKind::reduce_scatter, ring, size) +
                    network.collective(CollectiveKind::all_gather, ring, size);
  const Time whole = network.collective(CollectiveKind::all_reduce, ring, size);
  RC_ASSERT(std::abs(both.ps - whole.ps) <= 1);  // each is rounded once
}

RC_GTEST_PROP(AlphaBeta, a_ring_on_one_switch_takes_the_closed_form, ()) {
  const int n = *rc::gen::inRange(2, 64), nanoseconds = *rc::gen::inRange(0, 100000);
  const int megabytes_per_s = *rc::gen::inRange(1, 100000);
  const AlphaBeta network(
      test::cluster_of(fmt::format("{{devices: {}, link: {{latency: {} ns, bandwidth: {} MB/s}}}}",
                                   n, nanoseconds, megabytes_per_s))
          .topology);
  std::vector<int> all;
  for (int d = 0; d < n; ++d) all.push_back(d);
  const Bytes size = some_size();
  const double alpha = nanoseconds * 1e-9, beta = megabytes_per_s * 1e6;
  const double expected = 2 * (n - 1) * (alpha + static_cast<double>(size.count) / n / beta);
  const double got = in_seconds(network.collective(CollectiveKind::all_reduce, all, size));
  RC_ASSERT(std::abs(got - expected) <= 1e-12 + 1e-9 * expected);
}

RC_GTEST_PROP(AlphaBeta, no_collective_beats_what_one_member_must_send, ()) {
  // Each member of an all-gather or all-to-all takes in (n-1)/n of the bytes through its own links.
  const Cluster cluster = test::cluster_of(*some_cluster());
  const AlphaBeta network(cluster.topology);
  const std::vector<int> group = some_group(cluster.devices());
  const Bytes size = some_size();
  double least = std::numeric_limits<double>::infinity();
  for (const int member : group) {
    double links = 0;
    for (const LinkId link : cluster.topology.links_of(cluster.topology.vertex(member)))
      links += cluster.topology.links()[link].bandwidth.bytes_per_s;
    least = std::min(least, links);
  }
  const double n = static_cast<double>(group.size());
  const double bound = (n - 1) / n * static_cast<double>(size.count) / least;
  for (const CollectiveKind kind : {CollectiveKind::all_gather, CollectiveKind::all_to_all})
    RC_ASSERT(in_seconds(network.collective(kind, group, size)) >= bound * (1 - 1e-9) - 1e-12);
}

RC_GTEST_PROP(Topology, routes_are_as_long_there_as_back, ()) {
  const Cluster cluster = test::cluster_of(*some_cluster());
  const int a = *rc::gen::inRange(0, cluster.devices());
  const int b = *rc::gen::inRange(0, cluster.devices());
  const Route there = cluster.topology.route(a, b), back = cluster.topology.route(b, a);
  RC_ASSERT(there.latency == back.latency);
  RC_ASSERT(there.links.size() == back.links.size());
  RC_ASSERT(there.bottleneck == back.bottleneck);
}

}  // namespace
}  // namespace pipewright
