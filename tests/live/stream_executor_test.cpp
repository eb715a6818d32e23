#include "calibrate/live/executor/stream_executor.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/fake_streams.hpp"
#include "support/run_schedule.hpp"

namespace pipewright::live {
namespace {

test::Times times() {
  test::Times times;
  times.forward = milliseconds(1);
  times.backward = milliseconds(2);
  times.input_gradient = microseconds(1100);
  times.weight_gradient = microseconds(900);
  times.hop = microseconds(200);
  return times;
}

test::Simulated simulated(const char* name, int data = 1) {
  return test::run_schedule(schedule::build({.ranks = 4, .micro_batches = 8}, config::scalar(name)),
                            times(), SendMode::async, {}, data);
}

// A device without overheads does exactly what the simulator says: when every op starts, when it
// ends and since when it was ready.
TEST(StreamExecutor, an_ideal_device_runs_as_simulated) {
  for (const char* name : {"gpipe", "1f1b", "{name: interleaved-1f1b, virtual: 2}", "zb-h1", "zb-v",
                           "dualpipe", "chimera", "{name: terapipe, slices: 3}"}) {
    for (const int data : {1, 2}) {
      SCOPED_TRACE(name);
      const test::Simulated run = test::run_schedule(
          schedule::build({.ranks = 4, .micro_batches = 8}, config::parse(name, "schedule")),
          times(), SendMode::async, {}, data);
      test::FakeStreams streams;
      SpinWork work(run.durations, streams);
      const Timeline live =
          run_streams(run.program, work, streams, run.timeline, {.partitions = 4});
      ASSERT_EQ(live.spans.size(), run.timeline.spans.size());
      for (OpId op = 0; op < live.spans.size(); ++op) {
        ASSERT_EQ(live.spans[op].start.ps, run.timeline.spans[op].start.ps) << "op " << op;
        ASSERT_EQ(live.spans[op].end.ps, run.timeline.spans[op].end.ps) << "op " << op;
      }
    }
  }
}

TEST(StreamExecutor, each_rank_stays_on_its_partition) {
  const test::Simulated run = simulated("1f1b");
  for (const size_t partitions : {1, 2, 4}) {
    test::FakeStreams streams;
    SpinWork work(run.durations, streams);
    run_streams(run.program, work, streams, run.timeline, {.partitions = partitions});
    for (LaneId lane = 0; lane < run.program.lanes.size(); ++lane) {
      if (run.program.order(lane).empty()) continue;
      EXPECT_EQ(streams.partition_of.at(lane), run.program.lanes[lane].rank % partitions);
    }
  }
}

TEST(StreamExecutor, alone_no_two_ops_overlap) {
  const test::Simulated run = simulated("gpipe");
  test::FakeStreams streams;
  SpinWork work(run.durations, streams);
  DeviceWork* const copy = &work;
  const Timeline live = run_streams_alone(run.program, {&copy, 1}, streams).front();
  Time sum, last;
  for (OpId op = 0; op < live.spans.size(); ++op) {
    sum += live.spans[op].end - live.spans[op].start;
    last = std::max(last, live.spans[op].end);
    EXPECT_EQ(live.spans[op].end - live.spans[op].start, run.durations[op]);
  }
  EXPECT_EQ(last, sum);
}

// What partitions take from each other is measured by copies of one op that start together.
TEST(StreamExecutor, copies_run_op_by_op_side_by_side) {
  const test::Simulated run = simulated("1f1b");
  test::FakeStreams streams;
  SpinWork work(run.durations, streams);
  DeviceWork* const copies[] = {&work, &work, &work};
  const std::vector<Timeline> live = run_streams_alone(run.program, copies, streams, 5);
  ASSERT_EQ(live.size(), 3u);
  for (size_t copy = 0; copy < 3; ++copy) {
    EXPECT_EQ(streams.partition_of.at(copy), copy);
    for (OpId op = 0; op < run.program.ops.size(); ++op) {
      const Span& span = live[copy].spans[op];
      EXPECT_EQ(span.start, live[0].spans[op].start) << "op " << op;
      EXPECT_EQ(span.end - span.start, run.durations[op]) << "op " << op;
    }
  }
  EXPECT_LE(streams.most_unreached, 3u * 2 * 6 + 1);
}

TEST(StreamExecutor, the_caller_is_never_further_ahead_than_it_may) {
  const test::Simulated run = simulated("1f1b");
  test::FakeStreams streams;
  SpinWork work(run.durations, streams);
  run_streams(run.program, work, streams, run.timeline, {.most_ahead = 5});
  EXPECT_LE(streams.most_unreached, 2u * 5 + 1);  // two marks an op, and the start of the run
}

// 1F1B with unbuffered, unfused sends.
TEST(StreamExecutor, a_program_that_cannot_end_is_refused_before_it_runs) {
  const schedule::Schedule schedule =
      schedule::build({.ranks = 2, .micro_batches = 2}, config::scalar("1f1b"));
  std::vector<StageWork> stages = test::stages_of(schedule, times());
  for (StageWork& stage : stages) stage.forward_output = stage.backward_output = Bytes{1};
  const Program program = lower({.schedule = schedule,
                                 .stages = stages,
                                 .send_mode = SendMode::buffered,
                                 .send_buffer = Bytes{0},
                                 .grid = test::grid_of(2)});
  test::FakeStreams streams;
  SpinWork work(std::vector<Time>(program.ops.size()), streams);
  try {
    run_streams(program, work, streams, {});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("rank 0's send 0F1 to rank 1"), std::string::npos)
        << failure.what();
  }
  EXPECT_TRUE(streams.partition_of.empty());
}

}  // namespace
}  // namespace pipewright::live
