#include "report/csv/residuals.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

// 12 s measured where 10 s were predicted; one run could not be predicted.
TEST(ResidualsCsv, has_a_line_for_each_predicted_time) {
  ValidationRun run{.name = "a", .group = "g"};
  run.measured.iteration_time_s = 12;
  run.predicted = Outcome{10, {}, {}, {}};
  run.regime = {"megatron", "h100-sxm", "bf16", 4, 0.1, 0.2, 0, 0.05, 1.5};
  ValidationRun none{.name = "b", .group = "g"};
  none.measured.iteration_time_s = 1;
  EXPECT_EQ(residuals_text({.runs = {run, none}}),
            "group,framework,device,precision,nodes,datasheet,exposed,host,bubble,busy,slower\n"
            "g,megatron,h100-sxm,bf16,4,0.100,0.200,0.000,0.050,1.500,1.2000\n");
}

}  // namespace
}  // namespace pipewright
