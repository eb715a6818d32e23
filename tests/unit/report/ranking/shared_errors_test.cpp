#include "report/ranking/shared_errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sweep_runs.hpp"

namespace pipewright {
namespace {

using testing::ElementsAre;

SweepRun with(std::vector<std::string> settings) {
  SweepRun run = test::sweep_run(1, 1);
  run.settings = std::move(settings);
  return run;
}

TEST(SharedErrors, keys_are_told_by_what_they_change) {
  EXPECT_TRUE(only_adds_work("recompute"));
  EXPECT_TRUE(only_adds_work("recompute.layers"));
  EXPECT_FALSE(only_adds_work("recomputed"));
  EXPECT_TRUE(is_of_simulation("network"));
  EXPECT_TRUE(is_of_simulation("variation.seeds"));
  EXPECT_FALSE(is_of_simulation("parallel.tensor"));
  EXPECT_TRUE(is_of_simulation("failures.events.seeds"));
  EXPECT_FALSE(is_of_simulation("failures.events.spares")) << "a job chooses its spares";
  EXPECT_FALSE(is_of_simulation("failures.events.elastic"));
}

TEST(SharedErrors, more_work_on_the_same_job_is_beaten_by_less) {
  const std::vector<SweepRun> runs = {with({"2", "none"}), with({"2", "full"}), with({"4", "none"}),
                                      with({"4", "full"})};
  const SweepView view{{"parallel.tensor", "recompute"}, {"iteration_time_s"}, test::over(runs)};
  EXPECT_THAT(beaten_by_less_work(view, {1.0, 1.1, std::nullopt, 1.05}),
              ElementsAre(false, true, false, false));
}

}  // namespace
}  // namespace pipewright
