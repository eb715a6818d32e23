#include "report/text/sweep.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/sweep_runs.hpp"

namespace pipewright {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string summary_of(std::vector<SweepRun> runs, size_t most_rows = 25) {
  return sweep_report({{"parallel.tensor"}, {"tokens_per_s", "energy_j"}, test::over(runs)},
                      most_rows)
      .text();
}

SweepRun with_tensor(const char* degree, SweepRun run) {
  run.settings = {degree};
  return run;
}

// 6 instead of 8 tokens a second is 25 % less, 1 J instead of 2 half.
TEST(SweepSummary, takes_the_best_and_says_what_the_next_one_trades) {
  EXPECT_EQ(summary_of(
                {with_tensor("2", test::sweep_run(6, 1)), with_tensor("4", test::sweep_run(8, 2))}),
            "tensor  tokens per s  energy  fits  front\n"
            "4                  8     2 J   yes      *\n"
            "2                  6     1 J   yes      *\n"
            "\nTake tensor 4: tokens per s of 8, the best that fits.\n"
            "Next tensor 2: 25.0 % less tokens per s, 50.0 % less energy.\n");
}

// Tensor 1 is slower than tensor 4 and takes more energy.
TEST(SweepSummary, offers_nothing_that_is_worse_in_everything) {
  EXPECT_THAT(
      summary_of({with_tensor("1", test::sweep_run(7, 3)), with_tensor("2", test::sweep_run(6, 1)),
                  with_tensor("4", test::sweep_run(8, 2))}),
      testing::AllOf(HasSubstr("Next tensor 2"), Not(HasSubstr("Next tensor 1"))));
}

TEST(SweepSummary, counts_what_it_does_not_show) {
  EXPECT_THAT(
      summary_of({with_tensor("2", test::sweep_run(6, 1)), with_tensor("4", test::sweep_run(8, 2))},
                 1),
      HasSubstr("and 1 more, all in --csv\n"));
}

SweepRun taking(double time_s, double memory) {
  SweepRun run = test::sweep_run(6, 1);
  run.objectives[0] = time_s;
  run.objectives[5] = memory;
  return run;
}

TEST(SweepSummary, has_nobody_measure_what_gives_the_same) {
  const auto summary = [](double memory) {
    const std::vector<SweepRun> runs = {with_tensor("2", taking(1, 1e9)),
                                        with_tensor("4", taking(1, memory))};
    return sweep_report(
               {{"parallel.tensor"}, {"iteration_time_s", "peak_memory_bytes"}, test::over(runs)},
               25)
        .text();
  };
  EXPECT_THAT(summary(1e9), Not(HasSubstr("measure")));
  EXPECT_THAT(summary(2e9), HasSubstr("measure tensor 2 and tensor 4 first"));
}

std::string timed_by(const char* path, std::vector<SweepRun> runs) {
  return sweep_report({{path}, {"iteration_time_s", "peak_memory_bytes"}, test::over(runs)}, 25)
      .text();
}

// More work on the same job takes longer, whatever predictions are off by.
TEST(SweepSummary, has_nobody_measure_the_same_job_with_more_work) {
  EXPECT_THAT(timed_by("recompute", {with_tensor("none", taking(1, 2e9)),
                                     with_tensor("selective", taking(1.01, 1e9))}),
              Not(HasSubstr("measure")));
}

TEST(SweepSummary, has_nobody_take_a_way_to_simulate) {
  const std::string text = timed_by("network", {with_tensor("flow", taking(1, 2e9)),
                                                with_tensor("alpha-beta", taking(0.9, 2e9))});
  EXPECT_THAT(text, Not(HasSubstr("Take")));
  EXPECT_THAT(text, Not(HasSubstr("measure")));
  EXPECT_THAT(text, HasSubstr("network says how the job is simulated"));
}

TEST(SweepSummary, says_that_an_objective_has_no_value) {
  const std::vector<SweepRun> runs = {with_tensor("2", taking(1, 2e9))};
  const std::string text =
      sweep_report({{"parallel.tensor"}, {"p90_s"}, test::over(runs)}, 25).text();
  EXPECT_THAT(text, HasSubstr("p90_s has no value in these runs: they draw nothing"));
  EXPECT_THAT(text, Not(HasSubstr("Take")));
}

SweepRun with_data(const char* tensor, double data) {
  SweepRun run = with_tensor(tensor, taking(1, 2e9));
  run.objectives[static_cast<size_t>(std::ranges::find(objective_names(), "data") -
                                     objective_names().begin())] = data;
  return run;
}

TEST(SweepSummary, shows_the_degree_of_data_that_follows_from_what_is_varied) {
  EXPECT_THAT(timed_by("parallel.tensor", {with_data("2", 4), with_data("4", 2)}),
              HasSubstr("tensor  data  "));
  EXPECT_THAT(timed_by("parallel.micro", {with_data("2", 4), with_data("4", 4)}),
              Not(HasSubstr("data")));
}

TEST(SweepSummary, does_not_say_that_it_fits_where_memory_is_not_known) {
  const std::string text = timed_by("parallel.tensor", {with_tensor("2", taking(1, 0))});
  EXPECT_THAT(text, Not(HasSubstr("yes")));
  EXPECT_THAT(text, Not(HasSubstr("that fits")));
}

TEST(SweepSummary, says_why_some_were_not_run) {
  EXPECT_EQ(summary_of({{.settings = {"3"}, .reason = "is odd"}}),
            "\n1 combination cannot be or were not run:\n     1  is odd\n");
}

TEST(SweepSummary, says_so_where_nothing_fits) {
  SweepRun large = with_tensor("2", test::sweep_run(6, 1));
  large.feasible = false;
  EXPECT_THAT(summary_of({large}), HasSubstr("\nNothing fits the devices' memory.\n"));
}

SweepRun on_devices(SweepRun run, double used, double idle) {
  const auto& names = objective_names();
  const auto set = [&](std::string_view name, double value) {
    run.objectives[static_cast<size_t>(std::ranges::find(names, name) - names.begin())] = value;
  };
  set("devices", used);
  set("idle_devices", idle);
  set("samples_per_s_per_device", 12 / used);
  return run;
}

// Twelve samples a second on 4 and on 6 of 8 devices: 3 and 2 for each.
TEST(SweepSummary, sets_throughput_per_device_beside_unlike_numbers_of_devices) {
  const std::string text = summary_of({on_devices(with_tensor("2", test::sweep_run(6, 1)), 4, 0),
                                       on_devices(with_tensor("4", test::sweep_run(8, 2)), 6, 2)});
  EXPECT_THAT(text, HasSubstr("devices  samples/s per device  fits"));
  EXPECT_THAT(text, HasSubstr(" 6 of 8                     2   yes"));
  EXPECT_THAT(text, HasSubstr("The runs use 4 to 6 devices; each does most under tensor 2.\n"));
}

TEST(SweepSummary, is_silent_of_devices_where_all_runs_use_all_of_them) {
  const std::string text = summary_of({on_devices(with_tensor("2", test::sweep_run(6, 1)), 4, 0),
                                       on_devices(with_tensor("4", test::sweep_run(8, 2)), 4, 0)});
  EXPECT_THAT(text, Not(HasSubstr("devices")));
}

}  // namespace
}  // namespace pipewright
