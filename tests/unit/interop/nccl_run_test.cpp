#include "interop/nccl_run.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::interop {
namespace {

// 16 ranks: an all-reduce has 2 x 15/16 of its algorithm's bandwidth on the bus.
NcclRun all_reduce_of_16() {
  NcclRow row{.line = 1, .bytes = {1 << 30}, .type = "float", .redop = "sum", .time_us = 5000};
  row.algbw = 200;
  row.busbw = 375;
  return {.rows = {row}};
}

TEST(NcclRun, bandwidths_tell_operation_and_ranks) {
  const std::vector<NcclPoint> points = points_of(all_reduce_of_16(), "x.log", {.nodes = 2});
  ASSERT_EQ(points.size(), 1u);
  EXPECT_EQ(points[0].operation, "all_reduce");
  EXPECT_EQ(points[0].ranks, 16);
  EXPECT_EQ(points[0].nodes, 2);
}

TEST(NcclRun, ranks_are_on_hosts_that_divide_them) {
  EXPECT_NE(test::error_of([] {
              points_of(all_reduce_of_16(), "x.log", {.nodes = 3});
            }).find("16 ranks do not divide by 3 hosts"),
            std::string::npos);
}

TEST(NcclRun, hosts_of_the_log_are_not_those_that_the_user_says) {
  NcclRun run = all_reduce_of_16();
  run.ranks = 16;
  run.hosts = {{"a", {0, 7, 8}}, {"b", {8, 15, 8}}};
  EXPECT_EQ(points_of(run, "x.log", {.nodes = 2})[0].nodes, 2);
  EXPECT_NE(test::error_of([&] {
              points_of(run, "x.log", {.nodes = 4});
            }).find("the log has 16 ranks on 2 hosts, but --nodes says 4"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::interop
