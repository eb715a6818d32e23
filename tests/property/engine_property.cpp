// The engine against an evaluator that was written apart from it, and against itself.
#include <gtest/gtest.h>

#include <random>

#include "schedule/kinds/kinds.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::test {
namespace {

/// Times per stage, in picoseconds, drawn anew for each shape.
Times random_times(std::mt19937& random, int stages) {
  std::uniform_int_distribution<int64_t> length(1, 1000);
  const auto draw = [&] {
    std::vector<Time> times;
    for (int stage = 0; stage < stages; ++stage) times.push_back({length(random)});
    return times;
  };
  Times times;
  times.forward = draw();
  times.backward = draw();
  times.input_gradient = draw();
  times.weight_gradient = draw();
  times.hop = {length(random) / 2};
  return times;
}

/// The places in a rank's order of what it runs on the lane of `stream`.
std::vector<size_t> places_on(const Schedule& schedule, size_t rank, Stream stream) {
  std::vector<size_t> places;
  const auto& order = schedule.order[rank];
  for (size_t k = 0; k < order.size(); ++k) {
    const bool apart = schedule.parallel_passes && order[k].pass != Pass::forward;
    if (apart == (stream == Stream::backward)) places.push_back(k);
  }
  return places;
}

void expect_same_spans(const Schedule& schedule, const Evaluation& expected, const Simulated& run) {
  for (LaneId lane = 0; lane < run.program.lanes.size(); ++lane) {
    if (!computes(run.program.lanes[lane].stream)) continue;
    const auto rank = static_cast<size_t>(run.program.ranks[run.program.lanes[lane].rank].pipeline);
    const auto places = places_on(schedule, rank, run.program.lanes[lane].stream);
    const std::span<const OpId> ops = run.program.order(lane);
    ASSERT_EQ(ops.size(), places.size());
    for (size_t j = 0; j < ops.size(); ++j) {
      // A pair without a time of its own is two ops; the evaluator gives both the whole interval.
      const size_t k = places[j];
      const Span& span = run.timeline.spans[ops[j]];
      const bool first_of_pair = schedule.order[rank][k].pairs_with_next;
      const bool second_of_pair = k > 0 && schedule.order[rank][k - 1].pairs_with_next;
      if (!second_of_pair) {
        ASSERT_EQ(span.start.ps, expected[rank][k].start.ps);
      }
      if (!first_of_pair) {
        ASSERT_EQ(span.end.ps, expected[rank][k].end.ps);
      }
    }
  }
}

TEST(Engine, every_schedule_runs_as_the_independent_evaluator_says) {
  std::mt19937 random(7);
  for (const schedule::Kind* kind : schedule::kinds()) {
    for (int p = 1; p <= 8; ++p) {
      for (const int m : {1, 2, 4, 5, 8, 12, 16}) {
        Schedule schedule;
        try {
          schedule = schedule::build({.ranks = p, .micro_batches = m}, config::scalar(kind->name));
        } catch (const Misfit&) {
          continue;
        }
        SCOPED_TRACE(std::string(kind->name) + " p=" + std::to_string(p) +
                     " m=" + std::to_string(m));
        const Times times = random_times(random, schedule.stages);
        const Evaluation expected =
            evaluate(schedule, times, schedule.parallel_passes ? Servers::two : Servers::one);
        const Simulated run = run_schedule(schedule, times);
        expect_same_spans(schedule, expected, run);
        EXPECT_EQ(run.makespan(), makespan(expected));
        const Timeline events = run_events(run.program, run.durations);
        for (size_t op = 0; op < events.spans.size(); ++op) {
          ASSERT_EQ(events.spans[op].start, run.timeline.spans[op].start);
          ASSERT_EQ(events.spans[op].end, run.timeline.spans[op].end);
          ASSERT_EQ(events.spans[op].ready, run.timeline.spans[op].ready);
        }
      }
    }
  }
}

TEST(Engine, every_duration_times_k_makes_every_time_k_fold) {
  std::mt19937 random(8);
  const Schedule schedule =
      schedule::build({.ranks = 6, .micro_batches = 11}, config::scalar("1f1b"));
  const Simulated run = run_schedule(schedule, random_times(random, 6));
  std::vector<Time> longer = run.durations;
  for (Time& time : longer) time = 17 * time;
  const Timeline scaled = simulate(run.program, longer);
  for (size_t op = 0; op < longer.size(); ++op)
    ASSERT_EQ(scaled.spans[op].end, 17 * run.timeline.spans[op].end);
}

}  // namespace
}  // namespace pipewright::test
