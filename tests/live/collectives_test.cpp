#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/error.hpp"
#include "calibrate/collectives/beside.hpp"
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
  std::unique_ptr<Communicator> join(const std::vector<int>& members, int) override {
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

/// One collective a millisecond of 4 MB; tells all who ask whether one has begun.
class Slowing final : public Communicators {
 public:
  explicit Slowing(std::atomic<bool>& begun) : begun_(begun) {}
  std::string library() const override { return "imagined"; }
  std::string device() const override { return {}; }
  int64_t most_bytes() const override { return int64_t{1} << 40; }
  std::unique_ptr<Communicator> join(const std::vector<int>&, int channels) override {
    class One final : public Communicator {
     public:
      One(std::atomic<bool>& begun, int channels) : begun_(begun), channels_(channels) {}
      double run(Operation, int64_t, int calls) override {
        begun_ = true;
        return calls * 1e-3 * channels_;
      }
      std::atomic<bool>& begun_;
      int channels_;
    };
    return std::make_unique<One>(begun_, channels);
  }

 private:
  std::atomic<bool>& begun_;
};

// On rank r the kernel takes 1 + r ms alone and half as long again once collectives run: 1.5 ms
// alone and 2.25 ms beside them by the mean of two ranks.
TEST(Beside, a_kernel_is_timed_alone_and_while_collectives_run) {
  constexpr int ranks = 2;
  const auto transports = transport::memory_transports(ranks);
  std::vector<std::vector<BesideTime>> results(ranks);
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      std::atomic<bool> begun = false;
      transport::Session session(*transports[rank], std::chrono::seconds(60));
      Slowing slowing(begun);
      const double alone = 1e-3 * static_cast<double>(rank + 1);
      const BesideKernel kernel{"gemm", 3e6,
                                [&](int calls) { return calls * alone * (begun ? 1.5 : 1); }};
      results[rank] = measure_beside(session, slowing, {kernel},
                                     {.operations = {Operation::all_reduce},
                                      .channels = {2},
                                      .bytes = 4'000'000,
                                      .memory_bandwidth = 10e9});
      session.exchange({});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(results[1].empty());
  ASSERT_EQ(results[0].size(), 1u);
  const BesideTime& time = results[0][0];
  EXPECT_EQ(time.what, "all_reduce");
  EXPECT_EQ(time.channels, 2);
  EXPECT_NEAR(time.alone_s, 1.5e-3, 1e-9);
  EXPECT_NEAR(time.beside_s, 2.25e-3, 1e-9);
  EXPECT_NEAR(time.bytes_per_s, 4e6 / 2e-3, 1);  // 2 ms each on two channels
  EXPECT_NEAR(time.memory_share, 3e6 / 10e9 / 1.5e-3, 1e-9);
}

// What goes wrong on the kernel's thread is heard on the rank's.
TEST(Beside, a_kernel_that_fails_ends_the_measurement) {
  const auto transports = transport::memory_transports(1);
  std::atomic<bool> begun = false;
  transport::Session session(*transports[0], std::chrono::seconds(60));
  Slowing slowing(begun);
  const BesideKernel kernel{"gemm", 1, [&](int calls) {
                              if (begun) throw Failure("out of memory");
                              return calls * 1e-3;
                            }};
  EXPECT_THROW(measure_beside(session, slowing, {kernel}, {.memory_bandwidth = 1e9}), Failure);
}

}  // namespace
}  // namespace pipewright::calibration
