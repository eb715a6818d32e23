#include "diagnose/main_groups.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

constexpr auto data = static_cast<size_t>(Traffic::data);

TorchTrace& add(TorchTrace& trace, const std::string& ranks, int size, int64_t elements,
                double at) {
  return trace.kernel("ncclDevKernel_AllReduce", at, 10, at, 1, 20,
                      fmt::format(R"(, "Collective name": "allreduce", "Process Group Ranks": "{}",
 "Group size": {}, "In msg nelems": {}, "dtype": "Float")",
                                  ranks, size, elements));
}

std::string largest_of_data(const TorchTrace& trace) {
  const RankProfile profile = profile_of(trace, 0, 8);
  const auto groups = diagnose::main_groups(profile, diagnose::device_work(profile));
  return groups[data] ? groups[data]->ranks : "none";
}

// Gradients of four ranks, those of experts of two, and barriers of all eight.
TEST(MainGroups, barriers_of_all_are_no_degree) {
  TorchTrace trace;
  trace.kernel("gemm", 0, 10, 0);
  add(trace, "[0, 2, 4, 6]", 4, 1'000'000, 20);
  add(trace, "[0, 4]", 2, 9'000'000, 40);
  for (int i = 0; i < 5; ++i) add(trace, "[0, 1, 2, 3, 4, 5, 6, 7]", 8, 1, 60 + 20 * i);
  EXPECT_EQ(largest_of_data(trace), "[0, 2, 4, 6]");
}

// Rank 4 of TP 2, DP 2, PP 2: its embedding is that of rank 0.
TEST(MainGroups, an_embedding_of_two_stages_is_no_data_group) {
  TorchTrace trace;
  trace.kernel("gemm", 0, 10, 0);
  trace.collective("allreduce", "EMBEDDING_GROUP", "[0, 4]", 2, 20, 10, 20);
  trace.collective("_reduce_scatter_base", "DATA_PARALLEL_GROUP", "[4, 6]", 2, 40, 10, 40);
  EXPECT_EQ(largest_of_data(trace), "[4, 6]");
}

TEST(MainGroups, without_bytes_the_largest_counts) {
  TorchTrace trace;
  trace.kernel("gemm", 0, 10, 0);
  add(trace, "[0, 4]", 2, 0, 20);
  add(trace, "[0, 2, 4, 6]", 4, 0, 40);
  EXPECT_EQ(largest_of_data(trace), "[0, 2, 4, 6]");
}

TEST(MainGroups, a_rank_that_communicates_nothing_has_none) {
  TorchTrace trace;
  EXPECT_EQ(largest_of_data(trace.kernel("gemm", 0, 10, 0)), "none");
}

}  // namespace
}  // namespace pipewright::test
