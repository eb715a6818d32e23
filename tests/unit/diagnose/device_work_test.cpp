#include "diagnose/device_work.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

TEST(DeviceWork, a_kernel_is_of_the_pass_that_launched_it) {
  TorchTrace trace;
  trace.backward(200, 50, 9).range("Optimizer.step#Adam.step", 300, 50);
  trace.kernel("forward", 110, 5, 100).kernel("backward", 240, 5, 210, 9);
  trace.kernel("elsewhere", 250, 5, 210, 1).kernel("update", 310, 5, 301);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.ops.size(), 4u);
  EXPECT_EQ(work.ops[0].compute, ComputeKind::forward);
  EXPECT_EQ(work.ops[1].compute, ComputeKind::backward);
  EXPECT_EQ(work.ops[2].compute, ComputeKind::forward);
  EXPECT_EQ(work.ops[3].compute, ComputeKind::optimizer);
}

// Autograd's thread launches what the range on the other thread waits for.
TEST(DeviceWork, a_kernel_is_of_the_action_in_whose_range_it_was_launched) {
  TorchTrace trace;
  trace.range("PP:0F0", 0, 10).range("PP:1I0", 20, 10).range("PP:1W0", 40, 10);
  trace.backward(20, 10, 9).backward(40, 10, 9);
  trace.kernel("f", 1, 5, 1).kernel("i", 21, 5, 21, 9).kernel("w", 41, 5, 41, 9);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.ops.size(), 3u);
  EXPECT_EQ(work.ops[0].compute, ComputeKind::forward);
  EXPECT_EQ(work.ops[1].compute, ComputeKind::input_gradient);
  EXPECT_EQ(work.ops[2].compute, ComputeKind::weight_gradient);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(work.ops[i].action, static_cast<int32_t>(i));
}

TEST(DeviceWork, of_passes_that_overlap_a_kernel_is_of_that_of_its_direction) {
  TorchTrace trace;
  trace.range("PP:(0F1;3B0)OVERLAP_F_B", 0, 20).backward(10, 10, 9);
  trace.kernel("f", 1, 5, 1).kernel("b", 11, 5, 11, 9);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.actions.size(), 2u);
  EXPECT_EQ(work.ops[0].action, 0);
  EXPECT_EQ(work.ops[1].action, 1);
}

// Of one device "Forward 3" is whatever its user calls so.
TEST(DeviceWork, ranges_that_name_no_stage_need_a_pipeline) {
  TorchTrace trace;
  trace.range("Forward 3", 0, 10).kernel("f", 1, 5, 1);
  EXPECT_TRUE(work_of(trace).actions.empty());
  trace.collective("send", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 1]", 2, 7, 2, 7);
  EXPECT_EQ(work_of(trace, 2).actions.size(), 1u);
}

TEST(DeviceWork, what_stands_between_a_backward_pass_and_an_update_is_of_the_update) {
  TorchTrace trace;
  trace.backward(200, 50, 9).backward(400, 50, 9).range("Optimizer.step#Adam.step", 500, 50);
  trace.kernel("forward", 110, 5, 100).kernel("backward", 240, 5, 210, 9);
  trace.kernel("forward", 310, 5, 300).kernel("backward", 440, 5, 410, 9);
  trace.kernel("norm", 470, 5, 460).kernel("clip", 480, 5, 461).kernel("update", 510, 5, 501);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.ops.size(), 7u);
  EXPECT_EQ(work.ops[2].compute, ComputeKind::forward);
  EXPECT_EQ(work.ops[4].compute, ComputeKind::optimizer);
  EXPECT_EQ(work.ops[5].compute, ComputeKind::optimizer);
}

// FSDP adds up gradients when autograd's functions have run.
TEST(DeviceWork, what_hooks_do_after_a_backward_pass_is_of_it) {
  TorchTrace trace;
  trace.backward(200, 50, 9).range("FSDP::root_post_backward_callback", 251, 20, 9);
  trace.kernel("backward", 240, 5, 210, 9).kernel("add", 260, 5, 255, 9);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.ops.size(), 2u);
  EXPECT_EQ(work.ops[1].compute, ComputeKind::backward);
}

// The last message goes between the backward pass and what FSDP does for the update.
TEST(DeviceWork, what_hooks_do_behind_the_last_message_is_of_the_update) {
  TorchTrace trace;
  trace.backward(200, 50, 9).range("FSDP::post_backward_reduce", 270, 20);
  trace.range("Optimizer.step#Adam.step", 300, 50);
  trace.kernel("backward", 240, 5, 210, 9);
  trace.collective("send", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 4]", 2, 260, 5, 261);
  trace.kernel("reduce", 280, 5, 275).kernel("scale", 295, 2, 292).kernel("update", 310, 5, 301);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.ops.size(), 5u);
  EXPECT_EQ(work.ops[0].compute, ComputeKind::backward);
  for (size_t i = 2; i < 5; ++i) EXPECT_EQ(work.ops[i].compute, ComputeKind::optimizer);
}

TEST(DeviceWork, a_step_has_what_was_launched_in_its_mark) {
  TorchTrace trace;
  trace.range("ProfilerStep#8", 0, 100).range("ProfilerStep#9", 100, 100);
  trace.kernel("first", 20, 90, 10).kernel("late", 120, 5, 20).kernel("second", 130, 5, 110);
  trace.kernel("after", 500, 5, 400);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.steps.size(), 2u);
  EXPECT_EQ(work.steps[0].number, 8);
  // The second begins when the device has ended the first, and ends with its mark.
  EXPECT_EQ(work.steps[0].end - work.steps[0].begin, microseconds(125));
  EXPECT_EQ(work.steps[1].end - work.steps[1].begin, microseconds(75));
  EXPECT_EQ(work.ops.size(), 3u);
}

// What is copied for a step beforehand, on another stream, does not begin it.
TEST(DeviceWork, a_step_begins_on_the_stream_that_computes) {
  TorchTrace trace;
  trace.range("ProfilerStep#1", 0, 100).range("ProfilerStep#2", 101, 100);
  trace.kernel("a", 10, 120, 5, 1, 7);
  trace.kernel("copies ahead", 105, 5, 103, 1, 9).kernel("b", 140, 50, 110, 1, 7);
  const diagnose::DeviceWork work = work_of(trace);
  ASSERT_EQ(work.steps.size(), 2u);
  EXPECT_EQ(work.steps[1].begin - work.steps[0].begin, microseconds(130));
  EXPECT_EQ(work.steps[0].end, work.steps[1].begin);
}

TEST(DeviceWork, of_messages_of_one_size_the_fastest_moves_bytes_alone) {
  TorchTrace trace;
  trace.collective("recv", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 4]", 2, 10, 100, 1);
  trace.collective("recv", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 4]", 2, 120, 30, 2);
  for (const diagnose::DeviceOp& op : work_of(trace).ops) EXPECT_EQ(op.moving, microseconds(30));
}

TEST(DeviceWork, nothing_on_a_device_is_an_error) {
  EXPECT_NE(error_of([] {
              work_of(TorchTrace().range("ProfilerStep#1", 0, 1));
            }).find("nothing in this trace ran on a device"),
            std::string::npos);
}

/// Steps 1, 2, ... of so many kernels of 10 us each, one after another.
TorchTrace steps_of(const std::vector<int>& counts) {
  TorchTrace trace;
  double at = 0;
  for (size_t step = 0; step < counts.size(); ++step) {
    trace.range(fmt::format("ProfilerStep#{}", step + 1), at, 10.0 * counts[step] - 1);
    for (int i = 0; i < counts[step]; ++i, at += 10) trace.kernel("k", at, 10, at);
  }
  return trace;
}

TEST(DeviceWork, steps_that_are_cut_off_at_the_ends_are_left_out) {
  const auto numbers = [](const std::vector<int>& counts) {
    std::vector<int> all;
    for (const diagnose::DeviceStep& step : work_of(steps_of(counts)).steps)
      all.push_back(step.number);
    return all;
  };
  EXPECT_EQ(numbers({20, 20, 20}), (std::vector{1, 2, 3}));
  EXPECT_EQ(numbers({11, 20, 20, 3}), (std::vector{2, 3}));
  EXPECT_EQ(numbers({20, 11, 20}), (std::vector{1, 2, 3}));
  EXPECT_EQ(numbers({20, 19, 18}), (std::vector{1, 2, 3}));
  EXPECT_EQ(numbers({11, 20, 3}), std::vector{2});
  EXPECT_EQ(numbers({5, 20}), std::vector{2});
  EXPECT_EQ(numbers({20}), std::vector{1});
  EXPECT_EQ(work_of(steps_of({11, 20, 20, 3})).cut_off, 2);
}

TEST(DeviceWork, times_that_cannot_be_are_counted) {
  TorchTrace trace;
  trace.kernel("a", 1000, 100, 900).kernel("b", 1060, 100, 1010).kernel("c", 1400, 100, 1600);
  const diagnose::DeviceWork work = work_of(trace);
  EXPECT_EQ(work.overlapping, microseconds(40));
  EXPECT_EQ(work.early, 1u);
}

// The host is a step ahead when its profiler begins: what still runs of that step has no launch.
TEST(DeviceWork, what_was_launched_before_the_trace_is_of_no_step) {
  TorchTrace trace;
  trace.range("ProfilerStep#1", 0, 100).kernel("own", 50, 10, 5);
  const std::string text = trace.text();
  const std::string early =
      R"({"ph": "X", "cat": "kernel", "name": "earlier", "ts": 10, "dur": 5, "args": {"stream": 7}},)"
      R"({"ph": "X", "cat": "kernel", "name": "other", "ts": 10, "dur": 5, "args": {"stream": 8}},)";
  const size_t list = text.find("[\n") + 2;
  const TemporaryFolder folder;
  const RankProfile profile =
      read_torch_profile(folder.write("t.json", text.substr(0, list) + early + text.substr(list)));
  const diagnose::DeviceWork work = diagnose::device_work(profile);
  ASSERT_EQ(work.ops.size(), 2u);
  EXPECT_EQ(profile.names[work.ops[0].name], "other");  // of its stream no launch is known
  EXPECT_EQ(profile.names[work.ops[1].name], "own");
}

}  // namespace
}  // namespace pipewright::test
