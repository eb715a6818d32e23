#include "report/text/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/golden.hpp"
#include "support/tiny_run.hpp"

namespace pipewright {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string summary(const Run& run) { return summary_report(run).text(); }

TEST(Summary, says_what_was_run) {
  auto run = test::tiny_run();
  EXPECT_THAT(summary(run), HasSubstr("1f1b: a synthetic model"));
  EXPECT_THAT(summary(run), HasSubstr("2 stages on 2 pipeline ranks, 2 devices, 1 micro-batch\n"));
  run.result.experiment =
      config::parse("{model: gpt3-175b, cluster: {node: dgx-a100-80g, nodes: 96}}", "x");
  run.program.ranks[0].multiplicity = run.program.ranks[1].multiplicity = 384;
  EXPECT_THAT(summary(run), HasSubstr("1f1b: gpt3-175b on 96 nodes of dgx-a100-80g\n"));
  EXPECT_THAT(summary(run), HasSubstr("768 devices"));
}

TEST(Summary, speaks_of_a_model_without_a_name_by_its_description) {
  auto run = test::tiny_run();
  run.result.experiment =
      config::parse("model: {description: 'GPT-3, 175B', transformer: {}}", "x");
  EXPECT_THAT(summary(run), HasSubstr("1f1b: GPT-3, 175B\n"));
}

TEST(Summary, says_how_large_a_model_is_whose_name_does_not) {
  auto run = test::tiny_run();
  run.result.parameters = 30.53e9;
  run.result.experiment = config::parse(
      "{model: Qwen3-30B-A3B, cluster: {node: {device: h100-sxm, devices: 8}, nodes: 1}}", "x");
  EXPECT_THAT(summary(run),
              HasSubstr("1f1b: Qwen3-30B-A3B, 30.5B parameters, on 1 node of 8 h100-sxm\n"));
  run.result.experiment = config::parse("model: {description: 'GPT-3, 175B parameters'}", "x");
  EXPECT_THAT(summary(run), HasSubstr("1f1b: GPT-3, 175B parameters\n"));
}

// The bound is 64.000002 us; the run takes 65.000002: 1.6 % longer.
TEST(Summary, says_how_far_the_run_is_from_its_bound) {
  auto run = test::tiny_run();
  EXPECT_THAT(summary(run),
              HasSubstr("64 us, the longest chain of dependencies; the run takes 1.6 % longer"));
  run.result.metrics.bounds.busiest_lane = run.result.metrics.makespan;
  EXPECT_THAT(summary(run), HasSubstr("65 us, the busiest stream; it is reached"));
}

// Of 65 us: backward 40, forward 20, two transfers of 2, a step of 1.
TEST(Summary, tells_the_critical_path_longest_part_first) {
  EXPECT_THAT(summary(test::tiny_run()),
              HasSubstr("backward 61.5 %, forward 30.8 %, pipeline communication 6.2 %, optimizer "
                        "step\n                  1.5 %\n"));
}

TEST(Summary, tells_utilization_only_of_models_that_have_it) {
  auto run = test::tiny_run();
  EXPECT_THAT(summary(run), Not(HasSubstr("MFU")));
  run.result.rates.mfu = 0.449;
  run.result.rates.hfu = 0.581;
  run.result.rates.model_flops_per_s_per_device = 1.4e14;
  run.result.rates.tokens_per_s = 95900;
  EXPECT_THAT(summary(run), HasSubstr("44.9 % (140 TFLOP/s of the model per device), with "
                                      "recomputation 58.1 % (HFU)"));
  EXPECT_THAT(summary(run), HasSubstr("95,900 tokens/s"));
}

TEST(Summary, says_whether_it_fits) {
  auto run = test::tiny_run();
  EXPECT_THAT(summary(run), HasSubstr("peak memory     1.172 KiB"));  // 1200 B
  run.result.fit.device_memory = Bytes{1024};
  run.result.fit.fullest = Bytes{1200};
  run.result.fit.feasible = false;
  EXPECT_THAT(summary(run), HasSubstr("NO, a device would need 1.172 KiB of 1 KiB"));
  run.result.fit.remedies = {{{"recompute=full", "batch.micro=1"}, microseconds(130), Bytes{1000}}};
  EXPECT_THAT(summary(run),
              HasSubstr("would fit with  recompute=full, batch.micro=1: 1000 B, +100.0 %"));
  run.result.fit.remedies.clear();
  run.result.fit.device_memory = Bytes{2048};
  run.result.fit.feasible = true;
  EXPECT_THAT(summary(run), HasSubstr("yes, with at most 1.172 KiB of 2 KiB"));
}

TEST(Summary, says_how_stale_an_asynchronous_schedule_is) {
  auto run = test::tiny_run();
  EXPECT_THAT(summary(run), Not(HasSubstr("asynchronous")));
  run.result.synchronous = false;
  run.result.metrics.ranks[1].weight_versions = 2;
  run.result.metrics.ranks[1].staleness = 1;
  EXPECT_THAT(summary(run), HasSubstr("2 weight versions, gradients at most 1 step late"));
}

TEST(Summary, says_where_no_work_is_kept_that_training_never_ends) {
  auto run = test::tiny_run();
  run.result.experiment = config::parse(
      "{training: {tokens: 1B}, failures: {device_mtbf: 1 s, checkpoint_time: 60 s}}", "x");
  run.result.goodput = {.fraction = 0, .best_interval_s = 0.0625, .events = {}};
  EXPECT_THAT(summary(run), HasSubstr("time to train   never: no work is kept\n"));
  EXPECT_THAT(summary(run), HasSubstr("goodput         0.0 % of the time: no work is kept"));
  EXPECT_THAT(summary(run), Not(HasSubstr("62.5 ms")));
}

TEST(Summary, says_of_a_best_interval_whether_it_is_shorter_than_a_checkpoint) {
  auto run = test::tiny_run();
  run.result.experiment = config::parse("failures: {checkpoint_time: 60 s}", "x");
  run.result.goodput = {.fraction = 0.1, .best_interval_s = 50, .events = {}};
  EXPECT_THAT(summary(run), HasSubstr("sooner than one is"));
  run.result.goodput->best_interval_s = 600;
  EXPECT_THAT(summary(run), HasSubstr("10.0 % of the time; checkpoints would be best every"));
  EXPECT_THAT(summary(run), Not(HasSubstr("sooner than one is")));
}

// The formula knows nothing of what histories have: theirs comes first.
TEST(Summary, has_the_goodput_of_histories_above_that_of_the_formula) {
  auto run = test::tiny_run();
  run.result.goodput = {
      .fraction = 0.96, .best_interval_s = 50, .events = GoodputEvents{.fraction = 0.72}};
  const std::string text = summary(run);
  EXPECT_THAT(text, HasSubstr("goodput         72.0 % of the time"));
  EXPECT_THAT(text, HasSubstr("by formula      96.0 % of the time"));
}

// 8 ops in 2 us.
TEST(Summary, says_what_the_simulator_took) {
  EXPECT_THAT(summary(test::tiny_run()),
              HasSubstr("8 ops in 2 us (4 Mops/s), after 1 ms of setup"));
}

TEST(Summary, survives_a_run_of_nothing) { EXPECT_NO_THROW(summary(pipewright::Run{})); }

TEST(Summary, format) {
  test::expect_golden("summary.txt", summary_report(test::tiny_run(), {.columns = 80}).text());
}

}  // namespace
}  // namespace pipewright
