// Ranks with a device each, as threads: they end with one timeline, or with one reason.
#include "calibrate/live/executor/device_run.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <thread>

#include "calibrate/live/own_gpu.hpp"
#include "calibrate/transport/memory.hpp"
#include "support/experiments.hpp"
#include "support/links_without_numbers.hpp"

namespace pipewright::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// Is through with everything at once. Its links fail once they have sent so many messages.
class QuickDevice final : public kernels::Streams, public LinksWithoutNumbers {
 public:
  explicit QuickDevice(int fails_after) : left_(fails_after) {}
  void select(size_t, size_t) override {}
  void mark(size_t mark) override { marks_[mark] = Clock::now(); }
  void wait_for(size_t mark) override { EXPECT_TRUE(marks_.contains(mark)); }
  void reach(size_t) override {}
  bool reached(size_t mark) override { return left_ != 0 && marks_.contains(mark); }
  void spin(Time) override {}
  void drain() override {}
  Time between(size_t from, size_t to) override {
    return nanoseconds(std::chrono::nanoseconds(marks_.at(to) - marks_.at(from)).count());
  }
  void send(size_t, Bytes) override { --left_; }
  void receive(size_t, Bytes) override {}
  void collect(size_t, CollectiveKind, Bytes) override {}
  void check() override {
    if (left_ < 0) throw Failure("a link is down");
  }

 private:
  int left_;
  std::map<size_t, Clock::time_point> marks_;
};

struct Idle final : live::DeviceWork {
  void compute(OpId) override {}
  void communicate(OpId) override {}
};

struct Outcome {
  Timeline timeline;
  std::string error;
};

template <class F>
std::vector<Outcome> on_ranks(int ranks, F&& body) {
  const auto transports = transport::memory_transports(ranks);
  std::vector<Outcome> outcomes(static_cast<size_t>(ranks));
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < outcomes.size(); ++rank) {
    threads.emplace_back([&, rank] {
      transport::Session session(*transports[rank], 2s);
      try {
        body(session, outcomes[rank]);
      } catch (const Failure& failure) {
        outcomes[rank].error = failure.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

/// Rank 2's links are down after so many messages.
std::vector<Outcome> four_ranks_of_which_one_fails(int after) {
  const pipewright::Run four = run(four_ranks("1f1b"), false);
  return on_ranks(4, [&](transport::Session& session, Outcome& outcome) {
    const int rank = session.rank();
    QuickDevice device(rank == 2 ? after : 1 << 20);
    Idle work;
    const live::DeviceShare share =
        live::device_share(four.program, static_cast<uint32_t>(rank), four.timeline);
    live::DummyDevicePayloads payloads(four.program, device);
    outcome.timeline =
        live::run_on_devices(four.program, share, work, device, payloads, device, session);
  });
}

TEST(DeviceRun, all_ranks_get_the_timeline_of_all) {
  const std::vector<Outcome> all = four_ranks_of_which_one_fails(1 << 20);
  for (const Outcome& one : all) {
    EXPECT_EQ(one.error, "");
    ASSERT_EQ(one.timeline.spans.size(), all[0].timeline.spans.size());
    for (size_t op = 0; op < one.timeline.spans.size(); ++op) {
      const Span &span = one.timeline.spans[op], &first = all[0].timeline.spans[op];
      EXPECT_LE(span.start, span.end);
      EXPECT_LE(span.ready, span.start);
      EXPECT_GT(span.end, Time{}) << "every op was seen by somebody";
      EXPECT_EQ(span.start, first.start);
      EXPECT_EQ(span.end, first.end);
    }
  }
}

TEST(DeviceRun, a_link_that_fails_behind_its_host_ends_all_ranks) {
  for (const Outcome& one : four_ranks_of_which_one_fails(3))
    EXPECT_NE(one.error.find("a link is down"), std::string::npos) << one.error;
}

// A message that never comes: NCCL would wait for ever.
TEST(DeviceRun, a_device_that_is_stuck_ends_all_ranks_and_is_named) {
  const auto begin = Clock::now();
  const pipewright::Run four = run(four_ranks("1f1b"), false);
  struct Stuck final : kernels::Streams {
    explicit Stuck(QuickDevice& device, bool is_stuck) : device(device), is_stuck(is_stuck) {}
    void select(size_t s, size_t p) override { device.select(s, p); }
    void mark(size_t mark) override { device.mark(mark); }
    void wait_for(size_t mark) override { device.wait_for(mark); }
    void reach(size_t mark) override { device.reach(mark); }
    bool reached(size_t mark) override { return !is_stuck && device.reached(mark); }
    void spin(Time time) override { device.spin(time); }
    void drain() override {}
    Time between(size_t from, size_t to) override { return device.between(from, to); }
    QuickDevice& device;
    bool is_stuck;
  };
  const auto all = on_ranks(4, [&](transport::Session& session, Outcome& outcome) {
    QuickDevice device(1 << 20);
    Stuck stuck(device, session.rank() == 1);
    Idle work;
    const live::DeviceShare share =
        live::device_share(four.program, static_cast<uint32_t>(session.rank()), {});
    live::DummyDevicePayloads payloads(four.program, device);
    outcome.timeline =
        live::run_on_devices(four.program, share, work, stuck, payloads, device, session);
  });
  for (const Outcome& one : all) EXPECT_NE(one.error, "");
  EXPECT_NE(all[1].error.find("rank 1 is at"), std::string::npos) << all[1].error;
  EXPECT_LT(Clock::now() - begin, 15s);
}

std::vector<std::string> problems(std::vector<live::OwnGpu> own) {
  std::vector<std::string> all(own.size());
  on_ranks(static_cast<int>(own.size()), [&](transport::Session& session, Outcome&) {
    const auto rank = static_cast<size_t>(session.rank());
    all[rank] = live::gpu_problem(session, own[rank]);
  });
  return all;
}

TEST(OwnGpu, all_ranks_hear_the_same_of_what_is_missing) {
  for (const std::string& problem :
       problems({{"", "a", ""}, {"", "", "no driver"}, {"", "", "b"}})) {
    EXPECT_NE(problem.find("rank 1 on "), std::string::npos) << problem;
    EXPECT_NE(problem.find(": no driver"), std::string::npos) << problem;
  }
}

// Two ranks that say by NCCL_HOSTID that they are on different hosts may share a GPU.
TEST(OwnGpu, more_ranks_than_gpus_are_refused) {
  for (const std::string& problem : problems({{"", "a", ""}, {"", "b", ""}, {"", "a", ""}}))
    EXPECT_NE(problem.find("has no GPU of its own, rank 0 has it"), std::string::npos) << problem;
  for (const std::string& problem : problems({{"x", "a", ""}, {"y", "a", ""}, {"", "a", ""}}))
    EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace pipewright::test
