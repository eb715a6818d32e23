#include "report/csv/sweep.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/sweep_runs.hpp"

namespace pipewright {
namespace {

// A schedule that is varied is a column of the results already.
TEST(SweepCsv, has_what_the_study_set_and_then_the_results) {
  std::vector<SweepRun> runs = {test::sweep_run(6, 1)};
  runs[0].settings = {"1f1b", "2, 4"};
  std::ostringstream out;
  write_sweep_csv({{"schedule", "parallel.tensor"}, {}, test::over(runs)}, out);
  EXPECT_TRUE(out.str().starts_with("parallel.tensor,schedule,feasible,"));
  EXPECT_TRUE(out.str().ends_with("\n\"2, 4\",1f1b,,,,\n"));
}

// The devices of a run follow its reason, which may be empty.
TEST(SweepCsv, ends_with_the_devices) {
  std::vector<SweepRun> runs = {test::sweep_run(6, 1)};
  runs[0].settings = {"1f1b"};
  const auto set = [&](std::string_view name, double value) {
    const auto& names = objective_names();
    runs[0].objectives[static_cast<size_t>(std::ranges::find(names, name) - names.begin())] = value;
  };
  set("devices", 6);
  set("idle_devices", 2);
  set("samples_per_s_per_device", 0.5);
  set("data", 3);
  std::ostringstream out;
  write_sweep_csv({{"schedule"}, {}, test::over(runs)}, out);
  EXPECT_NE(out.str().find(",reason,devices,idle_devices,samples_per_s_per_device,data\n"),
            std::string::npos);
  EXPECT_TRUE(out.str().ends_with("\n1f1b,6,2,0.5,3\n"));
}

}  // namespace
}  // namespace pipewright
