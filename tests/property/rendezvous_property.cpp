// Ranks that hold on until what they posted has been exchanged.
#include <gtest/gtest.h>

#include <random>

#include "base/error.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

std::optional<Schedule> built(const schedule::Kind* kind, int p, int m) {
  try {
    return schedule::build({.ranks = p, .micro_batches = m, .iterations = 2},
                           config::scalar(kind->name));
  } catch (const Misfit&) {
    return std::nullopt;
  }
}

template <class F>
void for_each_schedule(F&& visit) {
  for (const schedule::Kind* kind : schedule::kinds()) {
    for (int p = 1; p <= 8; ++p) {
      for (const int m : {1, 2, 4, 5, 8, 16}) {
        const std::optional<Schedule> schedule = built(kind, p, m);
        if (!schedule || schedule->sends != schedule::Sends::as_asked) continue;
        SCOPED_TRACE(std::string(kind->name) + " p=" + std::to_string(p) +
                     " m=" + std::to_string(m));
        visit(*schedule);
      }
    }
  }
}

// Whatever the stages take; and holding on for others never makes a run shorter.
TEST(Rendezvous, no_schedule_of_the_field_deadlocks) {
  std::mt19937 random(5);
  std::uniform_int_distribution<int64_t> length(1, 100);
  for_each_schedule([&](const Schedule& schedule) {
    const auto draw = [&] {
      std::vector<Time> times;
      for (int stage = 0; stage < schedule.stages; ++stage) times.push_back({length(random)});
      return times;
    };
    Times times;
    times.forward = draw();
    times.backward = draw();
    times.input_gradient = draw();
    times.weight_gradient = draw();
    times.hop = Time{length(random)};
    try {
      const Time held = run_schedule(schedule, times, SendMode::rendezvous).makespan();
      EXPECT_GE(held, run_schedule(schedule, times).makespan());
    } catch (const Failure& failure) {
      ADD_FAILURE() << failure.what();
    }
  });
}

// F = I = W = 1, B = 2 and free transfers: all ranks come to their batches at the same time, so
// those that receive ahead, as they are implemented, lose nothing by holding on.
TEST(Rendezvous, in_lockstep_nobody_waits_for_a_partner_that_computes) {
  Times times;
  times.forward = times.input_gradient = times.weight_gradient = Time{1};
  times.backward = Time{2};
  for (const char* name : {"zb-v", "v-half", "v-min", "zb-h1", "zb-h2", "eager-1f1b", "dualpipe",
                           "dualpipe-v", "looped-bfs"}) {
    for (const int p : {2, 4, 6}) {
      const Schedule schedule =
          schedule::build({.ranks = p, .micro_batches = 4 * p}, config::scalar(name));
      EXPECT_EQ(run_schedule(schedule, times, SendMode::rendezvous).makespan(),
                run_schedule(schedule, times).makespan())
          << name << " " << p;
    }
  }
}

// Rank 0 sends micro-batch 0 first and waits until it is taken; rank 1 wants micro-batch 1 first.
TEST(Rendezvous, crossed_orders_deadlock) {
  Schedule schedule = schedule::make({.ranks = 2, .micro_batches = 2}, 2);
  using schedule::backward, schedule::forward;
  schedule.order[0] = {forward(0, 0), forward(0, 1), backward(0, 1), backward(0, 0)};
  schedule.order[1] = {forward(1, 1), forward(1, 0), backward(1, 1), backward(1, 0)};
  EXPECT_NO_THROW(run_schedule(schedule, {}));
  EXPECT_THROW(run_schedule(schedule, {}, SendMode::rendezvous), Failure);
}

}  // namespace
}  // namespace pipewright::test
