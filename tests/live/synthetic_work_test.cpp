#include "calibrate/live/work/synthetic_work.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "calibrate/live/synthetic_replay.hpp"
#include "support/experiments.hpp"
#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

// Forwards, both halves of backwards, optimizer steps, messages and the sums of two replicas all
// have kernels that work on memory of their own: every compute op takes time, and all end.
TEST(SyntheticWork, runs_every_op_of_a_transformer) {
  const auto kernels = kernels::cpu_kernels();
  for (const char* schedule : {"1f1b", "zb-h1", "{name: interleaved-1f1b, virtual: 2}"}) {
    const live::RealJob job =
        live_gpt({.pipeline = 2, .data = 2, .micro_batches = 4, .schedule = schedule});
    live::SyntheticWork work(job.program, *kernels);
    const Timeline timeline = live::run_live(job.program, work);
    for (OpId op = 0; op < job.program.ops.size(); ++op) {
      if (job.program.type(op).kind != OpKind::compute) continue;
      EXPECT_LT(timeline.spans[op].start, timeline.spans[op].end) << schedule;
    }
  }
}

// Simulated, a device of 10 MFLOP/s takes a second for what any core does in a few milliseconds,
// also when something else has most of it. Messages take as long as they are said to.
TEST(SyntheticWork, timed_compute_can_wait_as_long_as_kernels_take_here) {
  const pipewright::Run run =
      test::run(experiment("model: {transformer: {layers: 4, hidden: 64, heads: 2, ffn: 256,\n"
                           "                      vocabulary: 64}}\n"
                           "cluster: {devices: 2, link: {latency: 1 us, bandwidth: 1 GB/s},\n"
                           "          device: {flops: {fp32: 10 MFLOP/s}, memory: 1 GiB,\n"
                           "                   memory_bandwidth: 10 MB/s}}\n"
                           "parallel: {pipeline: 2}\nbatch: {global: 4, micro: 1, sequence: 64}\n"
                           "precision: fp32\nschedule: 1f1b\n"),
                false);
  const auto device = live::cpu_device();
  const pipewright::Run measured = live::with_measured_kernels(run, *device);
  const auto length = [](const pipewright::Run& of, OpId op) {
    return of.timeline.spans[op].end - of.timeline.spans[op].start;
  };
  for (OpId op = 0; op < run.program.ops.size(); ++op) {
    const OpKind kind = run.program.type(op).kind;
    if (kind == OpKind::compute) {
      EXPECT_LT(length(measured, op), length(run, op)) << "op " << op;
    } else if (kind == OpKind::transfer) {
      EXPECT_EQ(length(measured, op), length(run, op)) << "op " << op;
    }
  }
  EXPECT_LT(measured.result.metrics.iteration, run.result.metrics.iteration);
}

TEST(SyntheticWork, refuses_a_model_without_shapes) {
  const auto kernels = kernels::cpu_kernels();
  const pipewright::Run four = run(four_ranks("1f1b"), false);
  try {
    live::SyntheticWork work(four.program, *kernels);
    FAIL() << "times have no kernels";
  } catch (const Failure& failure) {
    EXPECT_NE(std::string(failure.what()).find("--compute timed"), std::string::npos);
  }
}

// 6.4e9 parameters times 8 operations times 131072 tokens are no work for the cores of a test.
TEST(SyntheticWork, refuses_what_would_take_for_ever) {
  const auto kernels = kernels::cpu_kernels();
  const pipewright::Run large =
      run(experiment("model: {transformer: {layers: 8, hidden: 8192, heads: 64, ffn: 32768,\n"
                     "                      vocabulary: 51200}}\n"
                     "cluster: {node: dgx-a100-80g, nodes: 1, devices: 4}\n"
                     "parallel: {pipeline: 4}\nbatch: {global: 64, micro: 1, sequence: 2048}\n"
                     "schedule: 1f1b\n"),
          false);
  EXPECT_THROW(live::SyntheticWork(large.program, *kernels), Failure);
}

}  // namespace
}  // namespace pipewright::test
