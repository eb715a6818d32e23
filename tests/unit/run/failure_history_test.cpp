#include "run/failure_history.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "run/goodput.hpp"

namespace pipewright::test {
namespace {

constexpr double hour = 3600, day = 24 * hour;

/// 100 nodes that each fail every 50 days, checkpoints of a minute every half an hour.
FailureRates plain() {
  FailureRates rates;
  rates.node_mtbf = 50 * day;
  rates.nodes = 100;
  rates.interval = hour / 2;
  rates.checkpoint = 60;
  rates.restart = 600;
  rates.time = 60 * day;
  rates.speed = [](const std::set<int>& missing) { return missing.empty() ? 1.0 : 0.0; };
  return rates;
}

/// The mean of a share over histories, and its standard error.
struct Mean {
  double value = 0, error = 0;
};

Mean mean_of(const FailureRates& rates, FailureShare share, int seeds = 200) {
  std::vector<double> all;
  for (int seed = 0; seed < seeds; ++seed)
    all.push_back(draw_history(rates, static_cast<uint64_t>(seed))[share] / rates.time);
  Mean mean{std::accumulate(all.begin(), all.end(), 0.0) / seeds, 0};
  double squares = 0;
  for (const double one : all) squares += (one - mean.value) * (one - mean.value);
  mean.error = std::sqrt(squares / seeds / seeds);
  return mean;
}

double useful(const FailureRates& rates) { return mean_of(rates, FailureShare::useful).value; }

TEST(FailureHistory, adds_up_to_its_time) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    FailureRates rates = plain();
    rates.repair = seed % 2 == 0 ? 0 : day;
    rates.spares = static_cast<int>(seed % 3);
    rates.write = seed % 5 == 0 ? 0 : 1000;
    rates.memory_interval = seed % 4 == 0 ? 0 : 100;
    if (seed % 3 == 0)
      rates.speed = [](const std::set<int>& missing) {
        return 1 - 0.01 * static_cast<double>(missing.size());
      };
    const FailureHistory history = draw_history(rates, seed);
    const double sum = std::accumulate(history.seconds.begin(), history.seconds.end(), 0.0);
    EXPECT_NEAR(sum, rates.time, 1e-6 * rates.time);
    for (const double seconds : history.seconds) EXPECT_GE(seconds, -1e-6);
  }
}

TEST(FailureHistory, without_failures_loses_checkpoints_only) {
  FailureRates rates = plain();
  rates.node_mtbf = 1e15;
  const FailureHistory history = draw_history(rates, 1);
  EXPECT_EQ(history.failures, 0);
  EXPECT_NEAR(history[FailureShare::useful] / rates.time, 30.0 / 31, 1e-3);
  rates.checkpoint = 0;
  EXPECT_NEAR(draw_history(rates, 1)[FailureShare::useful], rates.time, 1e-6 * rates.time);
}

// Without spares, repairs, writes and copies the mean is the formula's, which knows nothing of the
// beginning and the end of a history: an interval of 60 days.
TEST(FailureHistory, has_the_mean_of_the_formula) {
  for (const double mtbf : {200.0, 50.0, 12.0}) {
    FailureRates rates = plain();
    rates.node_mtbf = mtbf * day;
    Failures failures;
    failures.device_mtbf_s = rates.node_mtbf;
    failures.checkpoint_time_s = rates.checkpoint;
    failures.restart_time_s = rates.restart;
    const double expected = goodput(failures, rates.nodes, rates.interval);
    const Mean mean = mean_of(rates, FailureShare::useful);
    EXPECT_NEAR(mean.value, expected, 4 * mean.error + rates.interval / rates.time);
  }
}

TEST(FailureHistory, failures_come_at_their_rate) {
  const FailureRates rates = plain();
  double failures = 0;
  for (uint64_t seed = 0; seed < 200; ++seed)
    failures += static_cast<double>(draw_history(rates, seed).failures) / 200;
  const double expected = rates.time * rates.nodes / rates.node_mtbf;  // 120
  EXPECT_NEAR(failures, expected, 4 * std::sqrt(expected / 200));
}

TEST(FailureHistory, a_spare_never_lowers_goodput) {
  FailureRates rates = plain();
  rates.repair = 2 * day;
  double before = 0;
  for (const int spares : {0, 1, 2, 4, 8, 16}) {
    rates.spares = spares;
    const Mean mean = mean_of(rates, FailureShare::useful);
    EXPECT_GE(mean.value, before - 4 * mean.error);
    before = mean.value;
  }
  FailureRates at_once = rates;
  at_once.repair = 0;
  EXPECT_NEAR(before, useful(at_once), 0.01);  // 16 spares, 4 of them in repair on the mean
}

// Each failure waits for two days of repair; repairs run side by side.
TEST(FailureHistory, a_job_without_spares_waits_for_repairs) {
  FailureRates rates = plain();
  rates.nodes = 1;
  rates.node_mtbf = 10 * day;
  rates.repair = 2 * day;
  rates.restart = 0;
  rates.checkpoint = 0;
  rates.interval = hour;
  rates.time = 1000 * day;
  const Mean waiting = mean_of(rates, FailureShare::waiting, 50);
  EXPECT_NEAR(waiting.value, 2.0 / 12, 4 * waiting.error);
}

TEST(FailureHistory, an_elastic_job_loses_less_than_one_that_waits) {
  FailureRates rates = plain();
  rates.repair = 2 * day;
  const double waits = useful(rates);
  rates.speed = [](const std::set<int>& missing) {
    return 1 - 0.01 * static_cast<double>(missing.size());
  };
  const double goes_on = useful(rates);
  EXPECT_GT(goes_on, waits);
  rates.iteration = 10;  // replicas know all state
  EXPECT_GT(useful(rates), goes_on);
}

// A write beside the run costs what it makes failures lose, no more.
TEST(FailureHistory, writes_beside_the_run_are_between_none_and_blocking_ones) {
  FailureRates none = plain(), beside = plain(), blocking = plain();
  none.checkpoint = 1;
  beside.checkpoint = 1;
  beside.write = 300;
  blocking.checkpoint = 300;
  EXPECT_GT(useful(none), useful(beside));
  EXPECT_GT(useful(beside), useful(blocking));
}

TEST(FailureHistory, copies_in_memory_save_work) {
  FailureRates rates = plain();
  const double stored = mean_of(rates, FailureShare::lost).value;
  rates.memory_interval = 60;
  const double copied = mean_of(rates, FailureShare::lost).value;
  EXPECT_LT(copied, stored / 10);
  EXPECT_GT(copied, 0);
}

}  // namespace
}  // namespace pipewright::test
