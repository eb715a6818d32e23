// Where NCCL's choice changes, held against the choice itself.
#include "network/nccl/turning_points.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"

namespace pipewright {
namespace {

const NcclTuning& hopper() {
  static const NcclTuning tuning = read_nccl_tuning(config::scalar("hopper"), config::Catalogue());
  return tuning;
}

NcclRequest over_64_nodes(CollectiveKind kind, int64_t bytes) {
  return {.kind = kind,
          .ranks = 512,
          .nodes = 64,
          .on_switch = true,
          .ring_bandwidth = 400e9,
          .node_bandwidth = 360e9,
          .network_hop_s = 5e-6,
          .fabric = LinkKind::infiniband,
          .bytes = {bytes}};
}

NcclChoice chosen(NcclRequest request, int64_t bytes) {
  request.bytes.count = bytes;
  return choose(hopper(), request);
}

bool is_other(const NcclChoice& a, const NcclChoice& b) {
  return a.algorithm != b.algorithm || a.protocol != b.protocol;
}

// A broadcast goes from LL to LL128 to Simple. Each begins at the byte that is told.
TEST(TurningPoints, are_the_first_sizes_of_a_choice) {
  const NcclRequest broadcast = over_64_nodes(CollectiveKind::broadcast, 1 << 20);
  const std::vector<Bytes> points = turning_points(hopper(), broadcast, 1);
  ASSERT_EQ(points.size(), 2u);
  for (const Bytes point : points)
    EXPECT_TRUE(is_other(chosen(broadcast, point.count - 1), chosen(broadcast, point.count)));
  EXPECT_EQ(chosen(broadcast, points[0].count).protocol, NcclProtocol::ll128);
  EXPECT_EQ(chosen(broadcast, points[1].count).protocol, NcclProtocol::simple);
}

// Sizes that are tried one by one find no change between two points.
TEST(TurningPoints, leave_no_change_between_them) {
  for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather}) {
    const NcclRequest request = over_64_nodes(kind, 3000);
    std::vector<Bytes> points = turning_points(hopper(), request, 1);
    ASSERT_FALSE(points.empty());
    int64_t last = request.bytes.count;
    points.push_back({last * 40'000});
    for (const Bytes point : points) {
      for (int64_t k = 0; k < 50 && point.count > last; ++k) {
        const int64_t between = last + (point.count - 1 - last) * k / 49;
        EXPECT_FALSE(is_other(chosen(request, last), chosen(request, between))) << between;
      }
      last = std::max(last, point.count);
    }
  }
}

}  // namespace
}  // namespace pipewright
