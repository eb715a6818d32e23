// What an all-reduce takes over more and more nodes.
#include <gtest/gtest.h>

#include <numeric>

#include "machine/collective_profile.hpp"
#include "network/nccl/model.hpp"
#include "support/clusters.hpp"

namespace pipewright::test {
namespace {

double all_reduce_s(const std::string& node, int nodes, int64_t bytes) {
  const Cluster cluster = cluster_of("{node: " + node + ", nodes: " + std::to_string(nodes) + "}");
  const CollectiveTimes times(cluster.topology,
                              collective_profiles_of(cluster, config::Catalogue{}));
  std::vector<int32_t> devices(static_cast<size_t>(cluster.devices()));
  std::iota(devices.begin(), devices.end(), 0);
  return in_seconds(times.collective(CollectiveKind::all_reduce, devices, Bytes{bytes}));
}

// A ring over fewer nodes ends before a tree over more, where NCCL goes from one to the other. NCCL
// expects times that are near the measured ones, so it may miss the sooner by some of it.
TEST(MoreNodes, take_no_less_time) {
  constexpr double missed = 0.15;
  for (const char* node : {"gh200-quad", "dgx-h100"})
    for (int64_t bytes = 1 << 10; bytes <= 1 << 20; bytes *= 2) {
      double fewer_s = 0;
      for (const int nodes : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16}) {
        const double now_s = all_reduce_s(node, nodes, bytes);
        EXPECT_GE(now_s, (1 - missed) * fewer_s) << node << ' ' << nodes << ' ' << bytes;
        fewer_s = now_s;
      }
    }
}

}  // namespace
}  // namespace pipewright::test
