// Runs that share laid links with others on their cluster, on threads.
#include <gtest/gtest.h>

#include <random>

#include "base/parallel.hpp"
#include "machine/machine_cache.hpp"
#include "report/json/result.hpp"
#include "support/experiments.hpp"
#include "support/small_gpts.hpp"

namespace pipewright::test {
namespace {

/// The result as `--json` writes it, but for what the run itself took; or why there is none.
std::string result_text(const config::Value& experiment, const RunOptions& options) {
  try {
    RunResult result = run_experiment(experiment, config::Catalogue{}, options).result;
    result.cost = {};
    return json_text(result);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Experiments on few clusters: many lay the same links, or the same groups with other bytes.
std::vector<config::Value> some_experiments(uint64_t seed, size_t count) {
  std::mt19937_64 random(seed);
  std::vector<config::Value> all;
  for (size_t k = 0; k < count; ++k) {
    all.push_back(experiment(some_experiment(random)));
    const auto spread = one_of<const char*>(random, {"0", "0", "0.02"});
    all.back().set("network", config::scalar(random() % 4 == 0 ? "alpha-beta" : "flow"));
    if (random() % 4 == 0)
      all.back().set("network", experiment("{flow: {routing: ecmp, seeds: 2, queue_pairs: 2}}"));
    if (random() % 4 == 0)
      all.back().set("variation", experiment("{seeds: 3, compute_spread: " + std::string(spread) +
                                             ", kernel_spread: 0.01}"));
  }
  return all;
}

TEST(SharedLinks, runs_that_share_them_have_the_bytes_of_runs_alone) {
  constexpr size_t count = 60;
  const std::vector<config::Value> experiments = some_experiments(11, count);
  std::vector<std::string> alone(count), shared(2 * count);
  in_parallel(count, 0, [&](size_t k) { alone[k] = result_text(experiments[k], {}); });
  RunOptions options;
  options.machines = std::make_shared<MachineCache>();
  in_parallel(2 * count, 4,
              [&](size_t k) { shared[k] = result_text(experiments[k % count], options); });
  size_t results = 0;
  for (size_t k = 0; k < 2 * count; ++k) {
    ASSERT_EQ(shared[k], alone[k % count]) << k;
    results += alone[k % count].starts_with("{");
  }
  EXPECT_GT(results, count);
}

}  // namespace
}  // namespace pipewright::test
