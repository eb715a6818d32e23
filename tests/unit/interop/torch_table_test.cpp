#include <gtest/gtest.h>

#include "error_of.hpp"
#include "interop/nccl_points.hpp"

namespace pipewright::interop {
namespace {

constexpr const char* table =
    "The average bandwidth of all_reduce over 16 ranks (5 warmups / 20 trials):\n"
    "\n"
    "| payload |    busbw   |    algbw   |\n"
    "| ------: | ---------: | ---------: |\n"
    "|    32KB |   0.92GBps |   0.49GBps |\n"
    "|     1GB | 187.50GBps | 100.00GBps |\n";

// 2^30 bytes at 100e9 bytes/s.
TEST(TorchTable, sizes_are_binary_and_rates_decimal) {
  ASSERT_TRUE(is_torch_table(table));
  const std::vector<NcclPoint> points = read_torch_table(table, "x.log");
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].bytes.count, 32768);
  EXPECT_EQ(points[1].ranks, 16);
  EXPECT_EQ(points[1].operation, "all_reduce");
  EXPECT_NEAR(points[1].time_s, 1073741824 / 100e9, 1e-9);
}

TEST(TorchTable, what_is_wrong_is_refused_at_its_line) {
  const auto refusal = [](const std::string& text) {
    return test::error_of([&] { read_torch_table(text, "x.log"); });
  };
  EXPECT_EQ(refusal("| payload | busbw | algbw |\n| 1GB | 1GBps | 1GBps |\n"),
            "x.log:2:1: error: the table does not say over how many ranks it is");
  const std::string title = "The average bandwidth of all_reduce over 16 ranks\n";
  EXPECT_EQ(refusal(title + "| payload | busbw | algbw |\n| 1GB | 1GBps | 0GBps |\n"),
            "x.log:3:1: error: '0GBps' is no bandwidth");
  EXPECT_EQ(refusal(title + "| payload | busbw | algbw |\n| 1GB | 1GBps\n"),
            "x.log:3:1: error: too few columns: the table was cut here");
}

}  // namespace
}  // namespace pipewright::interop
