#include "diagnose/diagnose_ranks.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

/// A data rank of two micro-batches whose kernels take `factor` times as long.
TorchTrace trace_of_data_rank(double factor) {
  TorchTrace trace;
  double at = 0;
  for (int i = 0; i < 2; ++i) {
    trace.kernel("f", at, 1000 * factor, at);
    at += 1000 * factor;
    trace.backward(at - 1, 2, 9).kernel("b", at, 2000 * factor, at, 9);
    at += 2000 * factor;
  }
  trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1, 2]", 3, at, 12100 - at, at);
  return trace;
}

TEST(DiagnoseRanks, a_slow_rank_is_named) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int rank = 0; rank < 3; ++rank)
    files.push_back(folder.write(std::to_string(rank) + ".json",
                                 trace_of_data_rank(rank == 1 ? 2 : 1).text(rank, 3)));
  const Diagnosis found = diagnose::diagnose_ranks(files, "folder");
  EXPECT_EQ(found.parallel.data, 3);
  EXPECT_EQ(found.micro_batches, 2);
  ASSERT_FALSE(found.causes.empty());
  EXPECT_EQ(found.causes[0].kind, CauseKind::worker);
  EXPECT_EQ(found.causes[0].who, "data rank 1, stage 0");
  EXPECT_NEAR(found.causes[0].recovered_s, 6e-3, 0.3e-3);
}

// Two kernels of 1 and of 2 ms on two ranks, of twice that on the third.
TEST(DiagnoseRanks, kernels_take_their_mean_over_ranks) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int rank = 0; rank < 3; ++rank)
    files.push_back(folder.write(std::to_string(rank) + ".json",
                                 trace_of_data_rank(rank == 1 ? 2 : 1).text(rank, 3)));
  const Diagnosis found = diagnose::diagnose_ranks(files, "folder");
  ASSERT_EQ(found.names.size(), 2u);
  EXPECT_EQ(found.names[0].name, "b");
  EXPECT_NEAR(found.names[0].measured_s, 16e-3 / 3, 1e-9);
  EXPECT_NEAR(found.names[1].measured_s, 8e-3 / 3, 1e-9);
}

// Each computes 2 ms and sums until 12 ms. The second begins 8 ms later: its step is a third.
TEST(DiagnoseRanks, ranks_with_steps_of_unequal_length_compute_as_much) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  for (int rank = 0; rank < 2; ++rank) {
    TorchTrace trace;
    const double begin = 8000 * rank;
    trace.kernel("a", begin, 2000, begin);
    trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, begin + 2000, 10000 - begin,
                     begin + 1);
    files.push_back(folder.write(std::to_string(rank) + ".json", trace.text(rank, 2)));
  }
  const Diagnosis found = diagnose::diagnose_ranks(files, "folder");
  ASSERT_EQ(found.ranks.size(), 2u);
  EXPECT_NEAR(found.ranks[0].relative_compute, 1, 1e-9);
  EXPECT_NEAR(found.ranks[1].relative_compute, 1, 1e-9);
}

// Ranks 0 and 1 are on one node, rank 2 is on another.
TEST(DiagnoseRanks, nodes_are_told_by_the_hosts_of_their_ranks) {
  const auto found = [](int slow, bool names_hosts) {
    const TemporaryFolder folder;
    std::vector<std::string> files;
    for (int rank = 0; rank < 3; ++rank)
      files.push_back(folder.write(
          names_hosts ? (rank < 2 ? "z_" : "a_") + std::to_string(rank) + ".1.pt.trace.json"
                      : std::to_string(rank) + ".json",
          trace_of_data_rank(rank == slow ? 2 : 1).text(rank, 3)));
    return diagnose::diagnose_ranks(files, "folder");
  };
  const Diagnosis whole = found(2, true);
  EXPECT_EQ(whole.nodes, (std::vector<std::vector<int>>{{0, 1}, {2}}));
  EXPECT_EQ(whole.causes.at(0).devices, std::vector{2});
  EXPECT_EQ(whole_nodes(whole, whole.causes[0].devices), std::vector{1});
  const Diagnosis part = found(1, true);
  EXPECT_EQ(part.causes.at(0).devices, std::vector{1});
  EXPECT_TRUE(whole_nodes(part, part.causes[0].devices).empty());
  EXPECT_TRUE(found(1, false).nodes.empty());
}

TEST(DiagnoseRanks, what_is_not_of_one_job_is_an_error) {
  const TemporaryFolder folder;
  const std::string a = folder.write("a.json", trace_of_data_rank(1).text(0, 3));
  const std::string b = folder.write("b.json", trace_of_data_rank(1).text(0, 3));
  const std::string c = folder.write("c.json", trace_of_data_rank(1).text(1, 8));
  EXPECT_NE(error_of([&] {
              diagnose::diagnose_ranks({a, b}, "x");
            }).find("is of rank 0, as"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              diagnose::diagnose_ranks({a, c}, "x");
            }).find("is of a job of 8 ranks"),
            std::string::npos);
}

// Two hosts of data ranks wait before every kernel, and between steps.
TEST(DiagnoseRanks, what_most_hosts_do_between_steps_stands_beside_their_launches) {
  const TemporaryFolder folder;
  std::vector<std::string> files;
  TorchTrace trace;
  for (int step = 0; step < 4; ++step) {
    const double at = 10000 * step;
    trace.range("ProfilerStep#" + std::to_string(step), at, 9999);
    for (int i = 0; i < 4; ++i) trace.kernel("f", at + 1000 * i + 2, 500, at + 1000 * i);
    trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, at + 3510, 10, at + 3505);
  }
  for (int rank = 0; rank < 2; ++rank)
    files.push_back(folder.write(std::to_string(rank) + ".json", trace.text(rank, 2)));
  const Diagnosis found = diagnose::diagnose_ranks(files, "folder");
  std::vector<std::string> hosts;
  for (const Cause& cause : found.causes)
    if (cause.kind == CauseKind::host) hosts.push_back(cause.who);
  std::ranges::sort(hosts);
  EXPECT_EQ(hosts, (std::vector<std::string>{"between steps", "launches of kernels"}));
}

}  // namespace
}  // namespace pipewright::test
