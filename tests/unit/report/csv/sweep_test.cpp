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
  EXPECT_TRUE(out.str().ends_with("\n\"2, 4\",1f1b\n"));
}

}  // namespace
}  // namespace pipewright
