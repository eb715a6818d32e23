// Eight devices on a switch, ports of 1 GB/s each way.
#include "engine/link_prints.hpp"

#include <gtest/gtest.h>

#include "clusters.hpp"

namespace pipewright::test {
namespace {

/// The prints of one message that stands for those of `instances`, each of its colour.
std::vector<uint64_t> prints_of(const std::vector<std::vector<int32_t>>& instances,
                                const std::vector<uint32_t>& colours) {
  ProgramBuilder builder;
  builder.program.ranks = {{.device = 0}, {.device = 2}};
  builder.program.types = {{.kind = OpKind::transfer, .bytes = Bytes{1'000'000'000}}};
  builder.add({.type = 0, .rank = 0, .peer = 1});
  const Topology topology =
      cluster_of("{devices: 8, link: {latency: 1 ms, bandwidth: 1 GB/s}}").topology;
  const Program program = std::move(builder).finish();
  const auto op_routes =
      find_op_routes(program, topology, {}, [&](const std::vector<int32_t>&) { return instances; });
  return LinkPrints(program, op_routes.value()).of_instances(colours);
}

TEST(LinkPrints, links_that_are_never_full_tell_nothing_apart) {
  const auto prints = prints_of({{0, 2}, {1, 3}}, {0, 1});
  EXPECT_EQ(prints[0], prints[1]);
}

// Two of three into device 2, two of three out of device 0: the first meets another twice.
TEST(LinkPrints, links_that_may_be_full_tell_what_crosses_them_apart) {
  const auto prints = prints_of({{0, 2}, {1, 2}, {0, 3}}, {0, 0, 0});
  EXPECT_NE(prints[0], prints[1]);
  EXPECT_EQ(prints[1], prints[2]);
}

TEST(LinkPrints, who_shares_a_link_with_others_of_a_colour_is_told_by_it) {
  const std::vector<std::vector<int32_t>> pairs = {{0, 2}, {1, 2}, {4, 6}, {5, 6}};
  const auto alike = prints_of(pairs, {0, 1, 1, 0});
  EXPECT_EQ(alike[0], alike[2]);  // both with one of each
  const auto unlike = prints_of(pairs, {0, 0, 0, 1});
  EXPECT_EQ(unlike[0], unlike[1]);
  EXPECT_NE(unlike[0], unlike[2]);
}

}  // namespace
}  // namespace pipewright::test
