#include "study/anchor_fit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "config/catalogue.hpp"
#include "error_of.hpp"
#include "experiment/anchor.hpp"
#include "simulate/run.hpp"

namespace pipewright {
namespace {

using test::error_of;

config::Value experiment_of(const std::string& parallel,
                            const char* cluster = "{base: selene-96, nodes: 4}") {
  return config::parse(fmt::format("model: gpt3-6.7b\ncluster: {}\nparallel: {{{}}}\n"
                                   "batch: {{global: 64, micro: 1}}\nschedule: 1f1b\n",
                                   cluster, parallel),
                       "e.yaml");
}

MeasuredRun run_of(config::Value experiment, double seconds) {
  MeasuredRun run{.name = "one", .group = "g", .experiment = std::move(experiment)};
  run.measured.iteration_time_s = seconds;
  return run;
}

AnchorFit fit(std::vector<MeasuredRun> runs) {
  return fit_anchor(std::move(runs), config::Catalogue(), {}, 1);
}

double simulated_s(const config::Value& experiment) {
  return in_seconds(run_experiment(experiment, config::Catalogue(), {}).result.metrics.iteration);
}

/// Runs on a machine whose parts take `factors` as long as ours.
std::vector<MeasuredRun> runs_on(const AnchorParts& factors) {
  Anchor truth{.framework = "megatron", .device = "a100-sxm-80g", .runs = 1, .factors = factors};
  std::vector<MeasuredRun> runs;
  for (const char* parallel :
       {"data: 32", "tensor: 8, data: 4", "tensor: 2, pipeline: 2, data: 8", "tensor: 4, data: 8",
        "tensor: 8, pipeline: 2, data: 2", "tensor: 4, pipeline: 4, data: 2", "tensor: 32",
        "tensor: 16, data: 2", "tensor: 16, pipeline: 2"}) {
    config::Value experiment = experiment_of(parallel);
    config::Value there = experiment;
    there.set("anchor", anchor_document(truth));
    runs.push_back(run_of(std::move(experiment), simulated_s(there)));
    runs.back().name = parallel;
  }
  return runs;
}

TEST(AnchorFit, runs_as_predicted_say_that_nothing_is_off) {
  const Anchor anchor = fit(runs_on({1, 1, 1})).anchor;
  EXPECT_EQ(anchor.framework, "megatron");
  EXPECT_EQ(anchor.device, "a100-sxm-80g");
  EXPECT_DOUBLE_EQ(anchor.nodes, 4);
  for (const double factor : anchor.factors) EXPECT_NEAR(factor, 1, 1e-6);
}

TEST(AnchorFit, slow_kernels_are_told_from_a_slow_network) {
  const AnchorParts kernels = fit(runs_on({1.2, 1, 1})).anchor.factors;
  EXPECT_NEAR(kernels[0], 1.2, 0.03);
  EXPECT_NEAR(kernels[1], 1, 0.06);
  const AnchorParts network = fit(runs_on({1, 1.2, 1})).anchor.factors;
  EXPECT_NEAR(network[0], 1, 0.03);
  EXPECT_GT(network[1], 1.05);
}

TEST(AnchorFit, every_run_is_nearer_with_its_anchor) {
  for (const AnchoredRun& run : fit(runs_on({1.15, 1.1, 1})).runs) {
    EXPECT_LT(std::abs(run.anchored_s - run.measured_s), std::abs(run.predicted_s - run.measured_s))
        << run.measured_s;
  }
}

// A longer measurement never gives a shorter prediction, and none is outside its own range.
TEST(AnchorFit, the_prediction_grows_with_the_measurement_and_its_range_holds_it) {
  const config::Value experiment = experiment_of("tensor: 8, data: 4");
  const double predicted = simulated_s(experiment);
  double last = 0;
  for (const double factor : {0.3, 0.5, 0.7, 0.9, 1.1, 1.3, 1.7, 3.0, 10.0}) {
    const AnchorFit anchored = fit({run_of(experiment, factor * predicted)});
    EXPECT_GE(anchored.runs[0].anchored_s, last * (1 - 1e-3)) << factor;
    last = anchored.runs[0].anchored_s;
    if (factor > 0.6 && factor < 1.6) continue;
    config::Value after = experiment;
    after.set("anchor", anchor_document(anchored));
    const Uncertainty range =
        *run_experiment(after, config::Catalogue(), {}).result.ranges.uncertainty;
    EXPECT_LE(in_seconds(range.p10), factor * predicted);
    EXPECT_GE(in_seconds(range.p90), factor * predicted);
  }
}

TEST(AnchorFit, one_to_ten_runs_of_different_names_make_an_anchor) {
  const config::Value experiment = experiment_of("data: 32");
  const MeasuredRun one = run_of(experiment, 1);
  EXPECT_NE(error_of([&] { fit({one, one}); }).find("two runs are named 'one'"), std::string::npos);
  EXPECT_NE(error_of([&] { fit(std::vector<MeasuredRun>(11, one)); }).find("11 runs: an anchor"),
            std::string::npos);
}

TEST(AnchorFit, an_anchor_without_effect_changes_nothing) {
  config::Value experiment = experiment_of("data: 32");
  const double before = simulated_s(experiment);
  Anchor anchor = prior_anchor();
  anchor.framework = "megatron";
  anchor.device = "a100-sxm-80g";
  anchor.runs = 1;
  experiment.set("anchor", anchor_document(anchor));
  EXPECT_EQ(simulated_s(experiment), before);
  experiment.set("anchor", config::scalar("none"));
  EXPECT_EQ(simulated_s(experiment), before);
}

TEST(AnchorFit, an_anchor_of_another_device_or_framework_is_refused) {
  config::Value experiment = experiment_of("data: 32, zero: 3");
  Anchor anchor = prior_anchor();
  anchor.runs = 1;
  anchor.framework = "megatron";
  anchor.device = "h100-sxm";
  const auto said = [&] {
    experiment.set("anchor", anchor_document(anchor));
    return error_of([&] { simulated_s(experiment); });
  };
  EXPECT_NE(said().find("the anchor is of h100-sxm, the cluster has a100-sxm-80g"),
            std::string::npos);
  anchor.device = "a100-sxm-80g";
  EXPECT_EQ(said(), "no error") << "whoever names no framework is of the anchor's";
  experiment.set("framework", config::scalar("megatron"));
  EXPECT_EQ(said(), "no error");
  experiment.set("framework", config::scalar("torchtitan"));
  EXPECT_NE(said().find("the anchor is of megatron, the experiment of torchtitan"),
            std::string::npos);
}

TEST(AnchorFit, what_makes_no_anchor_is_refused) {
  MeasuredRun memory{.name = "one", .group = "g", .experiment = experiment_of("data: 32")};
  memory.measured.peak_memory_bytes = 1e9;
  EXPECT_NE(error_of([&] { fit({memory}); }).find("run 'one' makes no anchor: it has no measured"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              MeasuredRun other =
                  run_of(experiment_of("data: 32", "{base: dgx-h100-32, nodes: 4}"), 1);
              other.name = "two";
              fit({run_of(experiment_of("data: 32"), 1), other});
            }).find("the first run of megatron on a100-sxm-80g"),
            std::string::npos);
  EXPECT_NE(error_of([&] { fit({run_of(experiment_of("data: 31"), 1)}); }).find("no anchor"),
            std::string::npos);
  config::Value anchored = experiment_of("data: 32");
  Anchor anchor = prior_anchor();
  anchor.runs = 1;
  anchored.set("anchor", anchor_document(anchor));
  EXPECT_NE(error_of([&] { fit({run_of(anchored, 1)}); }).find("has an anchor"), std::string::npos);
}

}  // namespace
}  // namespace pipewright
