#include "experiment/experiment.hpp"
#include "run/goodput.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "error_of.hpp"
#include "experiments.hpp"

namespace pipewright::test {
namespace {

Failures failures_of(const std::string& yaml) {
  config::Value document;
  document.set("failures", config::parse(yaml, "f.yaml"));
  return *read_experiment(document).failures;
}

constexpr double hour = 3600;

/// Seconds from a checkpoint to the end of the next, as a run goes: fail, restart, start again.
double played(const Failures& failures, double mtbf_s, std::mt19937_64& random) {
  std::exponential_distribution<double> next_failure(1 / mtbf_s);
  const double needed = *failures.checkpoint_interval_s + failures.checkpoint_time_s;
  double passed = 0;
  for (bool restarting = false;;) {
    const double length = restarting ? failures.restart_time_s : needed;
    const double alive = next_failure(random);
    passed += std::min(alive, length);
    if (alive < length) {
      restarting = true;
    } else if (restarting) {
      restarting = false;
    } else {
      return passed;
    }
  }
}

TEST(Failures, goodput_is_what_runs_that_fail_show_on_average) {
  const Failures failures = failures_of(
      "{device_mtbf: 1000 h, checkpoint_interval: 1 h, checkpoint_time: 5 min, "
      "restart_time: 20 min}");
  constexpr int devices = 300;
  std::mt19937_64 random(1);
  double passed = 0;
  constexpr int segments = 200'000;
  for (int i = 0; i < segments; ++i) passed += played(failures, 1000 * hour / devices, random);
  EXPECT_NEAR(goodput(failures, devices), segments * hour / passed, 0.003);
}

// Young, Communications of the ACM 17, 1974: sqrt(2 c M). Daly, 2006, eq. 37, adds terms in c / M.
TEST(Failures, the_best_interval_is_youngs_and_dalys) {
  const Failures failures = failures_of("{device_mtbf: 50000 h, checkpoint_time: 60 s}");
  const double c = 60, m = 50000 * hour / 1000;
  const double young = std::sqrt(2 * c * m);
  const double daly = young * (1 + std::sqrt(c / (2 * m)) / 3 + c / (2 * m) / 9) - c;
  EXPECT_NEAR(best_interval(failures, 1000), young, 0.02 * young);
  EXPECT_NEAR(best_interval(failures, 1000), daly, 1e-4 * daly);
}

TEST(Failures, no_interval_is_better_than_the_best) {
  for (const int devices : {1, 1000, 100'000, 1'000'000}) {
    const Failures failures =
        failures_of("{device_mtbf: 50000 h, checkpoint_time: 60 s, restart_time: 10 min}");
    const double best = best_interval(failures, devices);
    for (const double other : {0.9 * best, 1.1 * best})
      EXPECT_LT(goodput(failures, devices, other), goodput(failures, devices, best)) << devices;
    EXPECT_EQ(goodput(failures, devices), goodput(failures, devices, best));
  }
}

// M is huge: of each interval only the checkpoint is lost.
TEST(Failures, devices_that_hardly_fail_cost_their_checkpoints) {
  const Failures failures =
      failures_of("{device_mtbf: 1e12 h, checkpoint_interval: 9 min, checkpoint_time: 1 min}");
  EXPECT_NEAR(goodput(failures, 8), 0.9, 1e-6);
}

TEST(Failures, time_to_train_and_cost_include_them) {
  const std::string gpt =
      "parallel: {tensor: 2, pipeline: 4}\nschedule: 1f1b\n"
      "training: {tokens: 3B}\n";
  const RunResult healthy = run(small_gpt(gpt)).result;
  const RunResult failing =
      run(small_gpt(gpt + "failures: {device_mtbf: 1e12 h, checkpoint_interval: "
                          "9 min, checkpoint_time: 1 min}\n"))
          .result;
  EXPECT_EQ(failing.metrics.iteration, healthy.metrics.iteration);
  EXPECT_NEAR(failing.goodput->fraction, 0.9, 1e-6);
  EXPECT_NEAR(*failing.training.time_s, *healthy.training.time_s / 0.9,
              1e-5 * *healthy.training.time_s);
  EXPECT_EQ(healthy.expenses.cost_usd.has_value(), failing.expenses.cost_usd.has_value());
  if (healthy.expenses.cost_usd) {
    EXPECT_NEAR(*failing.expenses.cost_usd, *healthy.expenses.cost_usd / 0.9, 1e-4);
  }
}

TEST(Failures, a_run_that_never_gets_done_takes_no_finite_time) {
  const RunResult result =
      run(small_gpt("parallel: {tensor: 2, pipeline: 4}\nschedule: 1f1b\ntraining: {tokens: 3B}\n"
                    "failures: {device_mtbf: 1 s, checkpoint_interval: 10 h}\n"))
          .result;
  EXPECT_EQ(result.goodput->fraction, 0);
  EXPECT_FALSE(result.training.time_s);
}

TEST(Failures, mistakes_are_named_where_they_stand) {
  EXPECT_EQ(error_of([] { failures_of("{device_mtbf: 0 h, checkpoint_time: 1 s}"); }),
            "f.yaml:1:15: error: device_mtbf must be more than zero");
  for (const char* wrong :
       {"{device_mtbf: 1 h}", "{checkpoint_interval: 1 h}", "1 h", "{device_mtbf: 3 GB}",
        "{device_mtbf: 1 h, checkpoint_interval: 0 s}", "{device_mtbf: 1 h, mtbf: 1 h}"})
    EXPECT_EQ(error_of([&] { failures_of(wrong); }).substr(0, 7), "f.yaml:") << wrong;
}

}  // namespace
}  // namespace pipewright::test
