#include <gtest/gtest.h>

#include <thread>

#include "calibrate/collectives/measure.hpp"
#include "calibrate/transport/memory.hpp"
#include "interop/nccl_points.hpp"

namespace pipewright::calibration {
namespace {

TEST(Operations, buffers_are_counted_as_nccl_tests_counts_them) {
  // 1 MiB of floats on 4 ranks: what is gathered, scattered or exchanged is cut into 4.
  EXPECT_EQ(elements(Operation::all_gather, 1 << 20, 4, 4), 1 << 18);
  EXPECT_EQ(buffers(Operation::all_gather, 1 << 18, 4).given, 1 << 16);
  EXPECT_EQ(buffers(Operation::reduce_scatter, 1 << 18, 4).got, 1 << 16);
  EXPECT_EQ(buffers(Operation::all_to_all, 1 << 18, 4).got, 1 << 18);
  EXPECT_EQ(elements(Operation::all_to_all, 8, 4, 3), 3) << "each gets something";
  EXPECT_EQ(elements(Operation::broadcast, 1, 4, 3), 1);
}

TEST(Groups, ranks_of_a_host_then_whole_hosts_and_their_first_ranks) {
  const auto groups = groups_of({"a", "a", "b", "b", "c", "c"});
  ASSERT_EQ(groups.size(), 5u);
  EXPECT_EQ(groups[0].members, (std::vector<int>{0, 1}));
  EXPECT_EQ(groups[0].hosts, 1);
  EXPECT_EQ(groups[1].members, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(groups[2].members, (std::vector<int>{0, 2})) << "a rail of two hosts";
  EXPECT_EQ(groups[3].members, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(groups[4].members, (std::vector<int>{0, 2, 4}));
  EXPECT_EQ(groups[4].hosts, 3);
}

TEST(Groups, hosts_that_are_not_started_one_after_the_other_are_kept_apart) {
  const auto groups = groups_of({"a", "b", "a", "b"});
  EXPECT_EQ(groups[0].members, (std::vector<int>{0, 2}));
  EXPECT_EQ(groups[1].members, (std::vector<int>{0, 2, 1, 3}));
}

TEST(Sizes, grow_by_a_factor_and_end_with_the_most) {
  EXPECT_EQ(sizes_of(8, 1024, 16), (std::vector<int64_t>{8, 128, 1024}));
  EXPECT_EQ(sizes_of(8, 8, 4), (std::vector<int64_t>{8}));
  EXPECT_EQ(sizes_of(8, INT64_MAX, 1 << 30).back(), INT64_MAX);
}

/// Takes 1 us, 1 ns a byte of a buffer, and rank r as many percent more.
class Imagined final : public Communicators {
 public:
  explicit Imagined(int rank) : rank_(rank) {}
  std::string library() const override { return "imagined"; }
  std::string device() const override { return {}; }
  int64_t most_bytes() const override { return rank_ == 1 ? 2 << 20 : int64_t{1} << 40; }
  std::unique_ptr<Communicator> join(const std::vector<int>& members) override {
    if (std::find(members.begin(), members.end(), rank_) == members.end()) return nullptr;
    class One final : public Communicator {
     public:
      explicit One(int rank) : rank_(rank) {}
      double run(Operation, int64_t elements, int calls) override {
        return calls * (1e-6 + 4e-9 * static_cast<double>(elements)) * (1 + 0.01 * rank_);
      }
      int rank_;
    };
    return std::make_unique<One>(rank_);
  }

 private:
  int rank_;
};

TEST(Collectives, all_ranks_go_through_the_same_points_and_the_first_has_their_mean) {
  constexpr int ranks = 4;
  const auto transports = transport::memory_transports(ranks);
  std::vector<std::vector<MeasuredCollective>> results(ranks);
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      transport::Session session(*transports[rank], std::chrono::seconds(60));
      Imagined imagined(static_cast<int>(rank));
      results[rank] = measure_collectives(session, imagined, {.factor = 1 << 10},
                                          [](const MeasuredCollective&, size_t, size_t) {});
      session.exchange({});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(results[1].empty());
  // Two groups (the memory's ranks are of one host), 6 operations, 8 B, 8 KiB and the 1 MiB that
  // rank 1 has room for.
  ASSERT_EQ(results[0].size(), 2u * 6 * 3);
  for (const MeasuredCollective& one : results[0]) {
    const double mean = one.point.ranks == 2 ? 1.005 : 1.015;  // of ranks 0, 1 and 0 to 3
    const auto bytes = static_cast<double>(one.point.bytes.count);
    EXPECT_NEAR(one.point.time_s, mean * (1e-6 + 1e-9 * bytes), 1e-12) << one.point.operation;
    EXPECT_LE(one.point.bytes.count, 1 << 20);
  }
  const auto read = interop::read_nccl_points(csv_of(results[0]), "x.csv");
  ASSERT_EQ(read.size(), results[0].size()) << "what is written is a table that others read";
  EXPECT_EQ(read.back().operation, "send_recv");
  EXPECT_EQ(read.back().ranks, 4);
}

}  // namespace
}  // namespace pipewright::calibration
