#include "network/packet/marking.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

/// The share of a thousand packets that are marked behind `waiting` bytes.
double marked_share(RateControl control, int64_t waiting) {
  const PacketOptions options{.control = control, .mark = Bytes{5000}};
  int marked = 0;
  for (uint32_t sent = 0; sent < 100'000; ++sent) {
    Packet packet;
    packet.transmission = sent;
    marked += is_marked(packet, {waiting}, options);
  }
  return marked / 1e5;
}

TEST(Marking, is_sure_beyond_a_length) {
  EXPECT_EQ(marked_share(RateControl::dctcp, 5000), 0);
  EXPECT_EQ(marked_share(RateControl::dctcp, 5001), 1);
  EXPECT_FALSE(is_marked({}, {1 << 30}, {}));
}

TEST(Marking, is_by_chance_under_dcqcn) {
  EXPECT_EQ(marked_share(RateControl::dcqcn, 5000), 0);
  EXPECT_NEAR(marked_share(RateControl::dcqcn, 102'500), 0.005, 0.001);
  EXPECT_EQ(marked_share(RateControl::dcqcn, 200'000), 1);
}

TEST(Marking, small_gradients_are_so_large_a_part) {
  const PacketOptions options{.mark = Bytes{5000}, .small = 0.25};
  int small = 0;
  for (uint32_t number = 0; number < 10'000; ++number) {
    Packet packet;
    packet.number = number;
    small += is_small(packet, options);
  }
  EXPECT_NEAR(small / 1e4, 0.25, 0.02);
}

}  // namespace
}  // namespace pipewright
