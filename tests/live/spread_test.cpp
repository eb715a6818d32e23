// A sweep over processes, which are threads here.
#include "calibrate/sweep/spread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/error.hpp"
#include "calibrate/sweep/messages.hpp"
#include "calibrate/transport/memory.hpp"

namespace pipewright::spread {
namespace {

using namespace std::chrono_literals;

constexpr int ranks = 3;
constexpr size_t points = 60;

Study study() {
  Study study;
  for (size_t i = 0; i < points; ++i) study.points.push_back({.index = static_cast<int64_t>(i)});
  return study;
}

using SimulateOn = std::function<SweepRun(int rank, const StudyPoint&)>;

/// What the first of three processes of two threads each keeps.
std::multiset<int64_t> kept(const SimulateOn& simulate) {
  const Study all = study();
  const auto transports = transport::memory_transports(ranks);
  const auto on = [&](int rank) {
    return [&, rank](const StudyPoint& point) { return simulate(rank, point); };
  };
  std::vector<std::jthread> others;
  for (int rank = 1; rank < ranks; ++rank) {
    others.emplace_back([&, rank] {
      transport::Session session(*transports[static_cast<size_t>(rank)], 20s);
      follow(session, all, 2, on(rank), [] { FAIL() << "nobody is lost"; });
    });
  }
  transport::Session session(*transports[0], 20s);
  Lead lead(session, all, 2);
  std::multiset<int64_t> found;
  std::exception_ptr error;
  std::jthread sweeping([&] {
    std::vector<const StudyPoint*> given;
    for (const StudyPoint& point : all.points) given.push_back(&point);
    std::mutex mutex;
    try {
      lead.run(given, on(0), [&](const SweepRun& run) {
        const std::lock_guard lock(mutex);
        found.insert(run.point);
      });
    } catch (...) {
      error = std::current_exception();
    }
    lead.end();
  });
  lead.serve();
  sweeping.join();
  if (error) std::rethrow_exception(error);
  return found;
}

std::multiset<int64_t> every_point_once() {
  std::multiset<int64_t> numbers;
  for (size_t i = 0; i < points; ++i) numbers.insert(static_cast<int64_t>(i));
  return numbers;
}

TEST(Spread, every_point_runs_once_and_a_slow_process_runs_fewer) {
  std::array<std::atomic<int>, ranks> runs{};
  EXPECT_EQ(kept([&](int rank, const StudyPoint& point) {
              ++runs[static_cast<size_t>(rank)];
              std::this_thread::sleep_for(rank == 2 ? 100ms : 2ms);
              return SweepRun{.point = point.index};
            }),
            every_point_once());
  EXPECT_GT(runs[2], 0);
  EXPECT_LT(runs[2], runs[1]);
}

TEST(Spread, a_run_arrives_as_it_was) {
  const SweepRun sent{.point = 7,
                      .settings = {"8", ""},
                      .schedule = "1f1b",
                      .reason = "no",
                      .objectives = {0.1, std::nullopt, 1e-300},
                      .feasible = true,
                      .csv = "1f1b,\"a, \xff\"",
                      .json = "{\"a\": 0.1}"};
  EXPECT_EQ(unpack(pack(sent)), sent);
}

TEST(Spread, a_point_that_fails_elsewhere_is_run_by_the_first_process) {
  EXPECT_EQ(kept([&](int rank, const StudyPoint& point) {
              if (rank != 0 && point.index % 2 == 1) throw Failure("no memory left here");
              return SweepRun{.point = point.index};
            }),
            every_point_once());
}

TEST(Spread, a_point_that_is_wrong_in_itself_ends_the_sweep_on_all_processes) {
  EXPECT_THROW(kept([&](int, const StudyPoint& point) -> SweepRun {
                 if (point.index == 13) throw InputError("wrong");
                 return {.point = point.index};
               }),
               InputError);
}

/// A sweep whose first process waits with its own points until so many others have died, and which
/// they follow only then.
class DyingSweep {
 public:
  explicit DyingSweep(int deaths) : deaths_(deaths) {}

  /// What is kept, and what the sweep throws in the end.
  std::multiset<int64_t> found;
  std::string error;

  void run() {
    const auto transports = transport::memory_transports(ranks);
    std::vector<std::jthread> others;
    for (int rank = 1; rank < ranks; ++rank) {
      others.emplace_back([&, rank] {
        transport::Session session(*transports[static_cast<size_t>(rank)], 60s);
        session.go_on_without([](int, const std::string&) {});
        follow_and_die(session, rank);
      });
    }
    transport::Session session(*transports[0], 1s);
    Lead lead(session, all_, 2);
    session.go_on_without([&](int rank, const std::string&) { lead.lose(rank); });
    std::jthread sweeping([&] {
      try {
        lead_on(lead);
      } catch (const Failure& failure) {
        error = failure.what();
      }
      lead.end();
    });
    lead.serve();
  }

 private:
  void lead_on(Lead& lead) {
    std::vector<const StudyPoint*> given;
    for (const StudyPoint& point : all_.points) given.push_back(&point);
    std::mutex mutex;
    lead.run(
        given,
        [&](const StudyPoint& point) {
          ++waiting_;
          while (died_ < deaths_) std::this_thread::sleep_for(1ms);
          return SweepRun{.point = point.index};
        },
        [&](const SweepRun& run) {
          const std::lock_guard lock(mutex);
          found.insert(run.point);
        });
  }

  /// Runs one point at a time. The third one is the end of the first process, and of each that gets
  /// it after that.
  void follow_and_die(transport::Session& session, int rank) {
    while (waiting_ < 2) session.poll();
    // Else another may have run all points before the first has had its third.
    while (rank != 1 && deadly_ < 0) session.poll();
    send(session, 0, Message::ask);
    for (int count = 0;;) {
      const auto packet = session.poll();
      if (!packet) {
        std::this_thread::sleep_for(200us);
        continue;
      }
      if (static_cast<Message>(packet->tag) == Message::none) {
        send(session, 0, Message::gone);
        return;
      }
      const auto point = static_cast<int64_t>(place_of(packet->bytes));
      if (rank == 1 && ++count == 3) deadly_ = point;
      if (died_ < deaths_ && point == deadly_) {
        ++died_;
        return;
      }
      send(session, 0, Message::result, pack({.point = point}));
      send(session, 0, Message::ask);
    }
  }

  const Study all_ = study();
  int deaths_;
  std::atomic<int> waiting_ = 0, died_ = 0;
  std::atomic<int64_t> deadly_ = -1;
};

TEST(Spread, the_points_of_a_process_that_dies_go_to_others) {
  DyingSweep sweep(1);
  sweep.run();
  EXPECT_EQ(sweep.found, every_point_once());
  EXPECT_EQ(sweep.error, "");
}

TEST(Spread, a_point_under_which_two_processes_die_is_not_run_again) {
  DyingSweep sweep(2);
  sweep.run();
  EXPECT_EQ(sweep.found.size(), points - 1);
  EXPECT_EQ(std::set(sweep.found.begin(), sweep.found.end()).size(), points - 1);
  EXPECT_NE(sweep.error.find("two processes that died"), std::string::npos) << sweep.error;
}

TEST(Spread, a_process_that_was_silent_until_after_the_end_hears_of_it) {
  const Study all = study();
  const auto transports = transport::memory_transports(2);
  std::atomic<bool> has_a_point = false, ended = false;
  bool over = false;
  std::jthread silent([&] {
    transport::Session session(*transports[1], 60s);
    send(session, 0, Message::ask);
    while (!session.poll()) std::this_thread::sleep_for(200us);
    has_a_point = true;
    while (!ended) std::this_thread::sleep_for(1ms);
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_FALSE(follow(
        session, all, 1, [](const StudyPoint&) -> SweepRun { throw Failure("has no point"); },
        [&] { over = true; }));
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);  // nor does it wait for the first
  });
  transport::Session session(*transports[0], 1s);
  Lead lead(session, all, 1);
  session.go_on_without([&](int rank, const std::string&) { lead.lose(rank); });
  std::multiset<int64_t> found;
  std::jthread sweeping([&] {
    std::vector<const StudyPoint*> given;
    for (const StudyPoint& point : all.points) given.push_back(&point);
    lead.run(
        given,
        [&](const StudyPoint& point) {
          while (!has_a_point) std::this_thread::sleep_for(1ms);
          return SweepRun{.point = point.index};
        },
        [&](const SweepRun& run) { found.insert(run.point); });
    lead.end();
  });
  lead.serve();
  ended = true;
  silent.join();
  EXPECT_TRUE(over);
  EXPECT_EQ(found, every_point_once());
}

TEST(Spread, a_process_that_slept_does_not_wait_for_a_first_one_that_is_gone) {
  const auto transports = transport::memory_transports(2);
  transport::Session session(*transports[1], 600s);
  session.go_on_without([](int, const std::string&) {});
  session.lost_after(100ms);
  session.poll();
  std::this_thread::sleep_for(1200ms);
  const auto begin = std::chrono::steady_clock::now();
  const auto wait = [&] {
    while (std::chrono::steady_clock::now() - begin < 300s) session.poll();
  };
  EXPECT_THROW(wait(), Failure);
}

}  // namespace
}  // namespace pipewright::spread
