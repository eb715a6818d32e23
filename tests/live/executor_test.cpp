#include "calibrate/live/executor/executor.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "calibrate/live/work/timed_work.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::live {
namespace {

test::Times times_of(Time forward, Time backward, Time hop) {
  test::Times times;
  times.forward = forward;
  times.backward = backward;
  times.input_gradient = divide(backward, 2);
  times.weight_gradient = divide(backward, 2);
  times.hop = hop;
  return times;
}

/// Every span starts after all that it follows has ended, as in the engine.
void expect_order_kept(const Program& program, const Timeline& timeline) {
  for (OpId op = 0; op < program.ops.size(); ++op)
    for (const Edge edge : program.after(op))
      ASSERT_LE(timeline.spans[op].end, timeline.spans[edge.to()].start);
}

// The program that the simulator timed, run on threads: the order holds and the time is the
// simulated one but for the executor's overhead, which a busy machine makes larger, never smaller.
TEST(Executor, runs_the_simulated_program_in_its_order) {
  for (const char* name : {"gpipe", "1f1b", "zb-h1", "dualpipe"}) {
    const schedule::Schedule schedule =
        schedule::build({.ranks = 4, .micro_batches = 8}, config::scalar(name));
    const test::Simulated run =
        test::run_schedule(schedule, times_of(milliseconds(1), milliseconds(2), microseconds(200)));
    TimedWork work(run.durations);
    const Timeline live = run_live(run.program, work);
    expect_order_kept(run.program, live);
    Time end;
    for (const Span& span : live.spans) end = std::max(end, span.end);
    EXPECT_GE(end, run.makespan()) << name;
  }
}

struct Hanging final : DeviceWork {
  OpId stuck = none;
  std::atomic<bool> release = false;
  void compute(OpId op) override {
    while (op == stuck && !release) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  void communicate(OpId op) override { compute(op); }
};

TEST(Executor, the_watchdog_ends_a_program_that_cannot_go_on) {
  // 1F1B with unbuffered, unfused sends deadlocks.
  const schedule::Schedule schedule =
      schedule::build({.ranks = 2, .micro_batches = 2}, config::scalar("1f1b"));
  std::vector<StageWork> stages =
      test::stages_of(schedule, times_of(milliseconds(1), milliseconds(1), Time{}));
  for (StageWork& stage : stages) stage.forward_output = stage.backward_output = Bytes{1};
  const Program program = lower({.schedule = schedule,
                                 .stages = stages,
                                 .send_mode = SendMode::buffered,
                                 .send_buffer = Bytes{0},
                                 .grid = test::grid_of(2)});
  Hanging work;
  try {
    run_live(program, work, {.watchdog = std::chrono::milliseconds(200)});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("rank 0's send 0F1 to rank 1"), std::string::npos)
        << failure.what();
  }
}

struct Throwing final : DeviceWork {
  void compute(OpId op) override {
    if (op == 3) throw Failure("device lost");
  }
  void communicate(OpId) override {}
};

TEST(Executor, an_op_that_fails_ends_the_run_with_its_error) {
  const schedule::Schedule schedule =
      schedule::build({.ranks = 4, .micro_batches = 8}, config::scalar("1f1b"));
  const test::Simulated run =
      test::run_schedule(schedule, times_of(microseconds(10), microseconds(20), Time{}));
  Throwing work;
  EXPECT_THROW(run_live(run.program, work), Failure);
}

}  // namespace
}  // namespace pipewright::live
