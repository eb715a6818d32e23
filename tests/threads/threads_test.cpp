// What works on threads, run where ThreadSanitizer watches: a test fails where two threads touched
// the same memory unordered, and the log says which.
#include <gtest/gtest.h>

#include <atomic>

#include "calibrate/live/live_device.hpp"
#include "calibrate/live/real_replay.hpp"
#include "calibrate/live/replay.hpp"
#include "config/catalogue.hpp"
#include "machine/machine_cache.hpp"
#include "result/run_result.hpp"
#include "search/planner.hpp"
#include "search/problem.hpp"
#include "simulate/run.hpp"
#include "study/sensitivity.hpp"
#include "study/sweep.hpp"

namespace {
std::atomic<int> races = 0;
}

/// ThreadSanitizer calls it at every report.
extern "C" void __tsan_on_report(void*) { ++races; }

namespace pipewright {
namespace {

constexpr int threads = 4;

class Threads : public testing::Test {
 protected:
  void TearDown() override { EXPECT_EQ(races.exchange(0), 0); }

  const config::Catalogue catalogue;

  config::Value experiment(const std::string& yaml) const {
    return catalogue.resolve("experiments", config::parse(yaml, "experiment.yaml"));
  }

  /// Sweeps with a store in memory; returns how many runs there are.
  int64_t swept(const std::string& yaml, const RunOptions& run = {}) const {
    const Study study = read_study(config::parse(yaml, "study.yaml"), catalogue);
    SweepStore store("", {study.text, "1"});
    sweep(study, catalogue, {.run = run, .jobs = threads}, store);
    return std::ssize(store.points());
  }
};

TEST_F(Threads, a_sweep_shares_machines_and_its_store) {
  EXPECT_EQ(swept("experiment: {base: pp16-m128, parallel: {data: 4}, cluster: {devices: 64}}\n"
                  "vary: {model.synthetic.microbatches: [16, 32, 64],"
                  " schedule: [gpipe, 1f1b, zb-h1, pipedream]}\n"),
            12);
  EXPECT_EQ(
      swept(
          "experiment: {base: llama-3-70b-dgx-h100, batch: {global: 64, sequence: 8192}}\n"
          "vary: {schedule: [1f1b, gpipe], parallel.zero: [0, 1], cluster.fabric.nics: [4, 8]}\n"),
      8);
}

// 100,000 ops and more: the halves of a run are on two threads, in the points of a sweep too.
TEST_F(Threads, points_of_many_ops_have_two_halves) {
  EXPECT_EQ(swept("experiment: pp16-m128\nvary: {model.synthetic.microbatches: [28, 32]}\n",
                  {.fold = false}),
            2);
}

TEST_F(Threads, a_sweep_ranks_by_closed_form) {
  EXPECT_EQ(swept("experiment: {model: llama-3-70b, cluster: {node: dgx-h100, nodes: 8, fabric: "
                  "{kind: fat-tree, link: ndr, nics: 8}}, batch: {global: 64, sequence: 8192}, "
                  "schedule: 1f1b, precision: bf16, optimizer: adamw}\n"
                  "vary: {parallel.tensor: [1, 2, 4, 8], parallel.pipeline: [1, 2, 4, 8],"
                  " batch.micro: [1, 2], parallel.zero: [0, 1], recompute: [none, full]}\n"
                  "screen: 4\n"),
            128);
}

TEST_F(Threads, schedules_are_compared) {
  const std::vector<config::Value> schedules = {config::scalar("gpipe"), config::scalar("1f1b"),
                                                config::scalar("zb-h1"), config::scalar("zb-auto")};
  EXPECT_EQ(compare_schedules(experiment("{base: llama-3-70b-dgx-h100, batch: {global: 64, "
                                         "sequence: 8192}}"),
                              schedules, catalogue, {.jobs = threads})
                .size(),
            4u);
}

TEST_F(Threads, seeds_of_a_variation_are_runs_of_their_own) {
  const auto run = run_experiment(experiment("{base: llama-3-70b-dgx-h100, batch: {global: 64, "
                                             "sequence: 8192}, variation: {seeds: 8, "
                                             "compute_spread: 0.02}}"),
                                  catalogue, {.jobs = threads});
  EXPECT_GT(run.result.metrics.iteration.ps, 0);
}

TEST_F(Threads, planners_simulate_side_by_side) {
  const search::Problem problem{
      .experiment = experiment("{base: llama-3-70b-dgx-h100, cluster: {nodes: 2}, "
                               "batch: {global: 32, sequence: 8192}}"),
      .catalogue = catalogue,
      .simulations = 8,
      .jobs = threads};
  EXPECT_FALSE(search::plan(problem, {"exhaustive", "megatron", "tensoropt"}).proposals.empty());
}

TEST_F(Threads, resources_are_varied_side_by_side) {
  sensitivity_of(experiment("{base: llama-3-70b-dgx-h100, batch: {global: 64, sequence: 8192}}"),
                 catalogue, {}, threads);
}

TEST_F(Threads, a_replay_runs_lanes_on_threads) {
  const auto device = live::cpu_device();
  const config::Value document = experiment(
      "{model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms, boundary: "
      "1 MiB}}, cluster: {devices: 4, link: {latency: 5 us, bandwidth: 5 GB/s}}, schedule: zb-h1}");
  auto predicted = run_experiment(document, catalogue, {.fold = false, .steady_state = false});
  live::replay_timed(std::move(predicted), *device, 1);
}

TEST_F(Threads, a_replay_trains_on_threads) {
  for (const char* base : {"live-gpt", "live-mlp"}) {
    const auto device = live::cpu_device();
    live::RealJob job = live::make_real_job(experiment(std::string("{base: ") + base + "}"),
                                            catalogue, {.steps = 2});
    EXPECT_TRUE(live::replay_real(std::move(job), *device, {}, 1).numerics.has_value());
  }
}

}  // namespace
}  // namespace pipewright
