// Meshes with degrees of their own, trained live: the same weights as on one device.
#include <gtest/gtest.h>

#include "calibrate/live/executor/process_run.hpp"
#include "support/error_of.hpp"
#include "support/live_ranks.hpp"

namespace pipewright::test {
namespace {

/// A GPT of four blocks on meshes of `strategy`.
live::RealJob job_of(const std::string& strategy, const std::string& schedule = "1f1b",
                     const char* tied = "false") {
  const std::string yaml = fmt::format(
      "model: {{transformer: {{layers: 4, hidden: 16, heads: 4, ffn: 32, vocabulary: 16,\n"
      "  tied_embeddings: {}}}}}\n"
      "cluster: {{devices: 8, device: {{flops: {{fp32: 1 TFLOP/s}}, memory: 1 GiB,\n"
      "  memory_bandwidth: 10 GB/s}}, link: {{latency: 1 us, bandwidth: 1 GB/s}}}}\n"
      "batch: {{global: 16, micro: 1, sequence: 24}}\nprecision: fp32\n"
      "optimizer: momentum\nschedule: {}\nstrategy: {}\n",
      tied, schedule, strategy);
  return live::make_real_job(config::parse(yaml, "live.yaml"), config::Catalogue{}, {.steps = 6});
}

int micro_batches_of(const live::RealJob& job) { return job.training.step_every; }

void expect_as_alone(const std::string& strategy, const std::string& schedule = "1f1b") {
  SCOPED_TRACE(schedule + ": " + strategy);
  const live::RealJob job = job_of(strategy, schedule);
  expect_as_on_one_device(job, in_step(micro_batches_of(job)));
}

TEST(LiveMeshes, unlike_replicas_train_as_one_device_does) {
  for (const char* schedule : {"1f1b", "gpipe", "zb-h1", "{name: seq-1f1b, slices: 3}"}) {
    expect_as_alone("[{layers: 0-1, devices: 0-3, data: 4}, {layers: 2-3, devices: 4-5, data: 2}]",
                    schedule);
    expect_as_alone("[{layers: 0-1, devices: 0, data: 1}, {layers: 2-3, devices: 4-7, data: 4}]",
                    schedule);
  }
}

// A micro-batch of six sequences is cut in three and in two.
TEST(LiveMeshes, replicas_need_not_divide_each_other) {
  const live::RealJob job = [] {
    const std::string yaml =
        "model: {transformer: {layers: 4, hidden: 16, heads: 4, ffn: 32, vocabulary: 16,\n"
        "  tied_embeddings: false}}\n"
        "cluster: {devices: 5, device: {flops: {fp32: 1 TFLOP/s}, memory: 1 GiB,\n"
        "  memory_bandwidth: 10 GB/s}, link: {latency: 1 us, bandwidth: 1 GB/s}}\n"
        "batch: {global: 12, micro: 2, sequence: 24}\nprecision: fp32\noptimizer: momentum\n"
        "schedule: 1f1b\nstrategy: [{layers: 0-1, devices: 0-2, data: 3},\n"
        "  {layers: 2-3, devices: 3-4, data: 2}]\n";
    return live::make_real_job(config::parse(yaml, "live.yaml"), config::Catalogue{}, {.steps = 6});
  }();
  expect_as_on_one_device(job, in_step(2));
}

TEST(LiveMeshes, unlike_tensor_ranks_train_as_one_device_does) {
  expect_as_alone(
      "[{layers: 0-1, devices: 0-3, tensor: 4}, {layers: 2-3, devices: 4-5, tensor: 2}]");
  expect_as_alone("[{layers: 0-1, devices: 0, tensor: 1}, {layers: 2-3, devices: 4-7, tensor: 4}]");
  expect_as_alone(
      "[{layers: 0-1, devices: 0-3, tensor: 1, data: 4}, {layers: 2-3, devices: 4-7, tensor: 4, "
      "data: 1}]");
  expect_as_alone(
      "[{layers: 0-1, devices: 0-3, tensor: 2, data: 2}, {layers: 2-3, devices: 4-7, tensor: 4, "
      "data: 1}]");
}

TEST(LiveMeshes, virtual_stages_train_as_one_device_does) {
  for (const char* schedule : {"interleaved-1f1b", "looped-bfs"})
    expect_as_alone(
        "[{layers: [0, 2], devices: 0-3, data: 4}, {layers: [1, 3], devices: 4-5, tensor: 2}]",
        schedule);
  expect_as_alone(
      "[{layers: [0, 3], devices: 0-1, data: 2}, {layers: [1, 2], devices: 4-7, tensor: 4}]",
      "zb-v");
}

TEST(LiveMeshes, alike_ones_train_as_without_a_strategy) {
  expect_as_alone(
      "[{layers: [0, 2], devices: 0-1, tensor: 2}, {layers: [1, 3], devices: 2-3, tensor: 2}]",
      "interleaved-1f1b");
}

TEST(LiveMeshes, over_processes_they_train_as_one_device_does) {
  for (const char* strategy :
       {"[{layers: 0-1, devices: 0-3, data: 4}, {layers: 2-3, devices: 4-5, data: 2}]",
        "[{layers: 0-1, devices: 0, tensor: 1}, {layers: 2-3, devices: 4-7, tensor: 2, data: 2}]",
        "[{layers: [0, 2], devices: 0-1, data: 2}, {layers: [1, 3], devices: 4-5, tensor: 2}]"}) {
    SCOPED_TRACE(strategy);
    const char* schedule = strategy[10] == '[' ? "interleaved-1f1b" : "1f1b";
    const auto replays = run_job_over_ranks(
        [&] { return job_of(strategy, schedule); },
        [](transport::Session& session, uint32_t) { return live::process_device(session, {}); });
    ASSERT_TRUE(replays.front().numerics);
    EXPECT_LT(replays.front().numerics->max_relative_difference, 1e-5);
  }
}

TEST(LiveMeshes, tied_tables_of_unlike_meshes_are_summed_over_both) {
  for (const char* strategy :
       {"[{layers: 0-1, devices: 0-3, data: 4}, {layers: 2-3, devices: 4-5, data: 2}]",
        "[{layers: 0-1, devices: 0-1, tensor: 2}, {layers: 2-3, devices: 4-7, tensor: 4}]",
        "[{layers: 0-1, devices: 0-3, tensor: 2, data: 2}, {layers: 2-3, devices: 4, data: 1}]"}) {
    SCOPED_TRACE(strategy);
    const live::RealJob job = job_of(strategy, "1f1b", "true");
    expect_as_on_one_device(job, in_step(micro_batches_of(job)));
    const auto replays = run_job_over_ranks(
        [&] { return job_of(strategy, "1f1b", "true"); },
        [](transport::Session& session, uint32_t) { return live::process_device(session, {}); });
    ASSERT_TRUE(replays.front().numerics);
    EXPECT_LT(replays.front().numerics->max_relative_difference, 1e-5);
  }
}

// The mesh in the middle has more ranks than the two that hold the table.
TEST(LiveMeshes, ends_that_are_alike_share_their_table_rank_by_rank) {
  const std::string ends =
      "[{layers: 0-0, devices: 0, data: 1}, {layers: 1-2, devices: 4-5, tensor: 2}, {layers: 3-3, "
      "devices: 1, data: 1}]";
  const live::RealJob job = job_of(ends, "1f1b", "true");
  expect_as_on_one_device(job, in_step(micro_batches_of(job)));
}

TEST(LiveMeshes, what_cannot_be_trained_is_said) {
  EXPECT_NE(error_of([] {
              job_of(
                  "[{layers: 0-1, devices: 0-3, tensor: 4, tensor_kind: 2d}, {layers: 2-3, "
                  "devices: 4-5, data: 2}]");
            }).find("cannot be trained live"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
