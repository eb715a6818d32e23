#include "report/page/sweep.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/sweep_runs.hpp"

namespace pipewright {
namespace {

// Three points of two objectives and one that cannot be: more tokens a second, but less energy.
TEST(SweepPage, says_which_runs_the_table_puts_first_and_stars) {
  const std::vector<SweepRun> runs = {test::sweep_run(5, 2),
                                      {.schedule = "chimera", .reason = "odd"},
                                      test::sweep_run(7, 3),
                                      test::sweep_run(6, 4)};
  std::ostringstream out;
  write_sweep_html({{}, {"tokens_per_s", "energy_j"}, test::over(runs)}, out);
  EXPECT_NE(out.str().find(R"("judgement":{"objectives":[{"name":"tokens_per_s","gain":true},)"
                           R"({"name":"energy_j","gain":false}],"best_first":[2,3,0],)"
                           R"("front":[true,false,true,false]})"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright
