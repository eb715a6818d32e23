#include "report/csv/sensitivity.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(SensitivityCsv, has_a_line_for_each_resource) {
  Sensitivity sensitivity;
  sensitivity.rows = {
      {.resource = "device FLOP/s", .iteration_time_s = 2, .factor = 1.1, .gain = 0.05},
      {.resource = "devices",
       .factor = 1.1,
       .feasible = false,
       .note = "none, as the batch does not divide"}};
  EXPECT_EQ(csv_text(sensitivity),
            "resource,factor,iteration_time_s,gain_fraction,feasible,note\n"
            "device FLOP/s,1.1,2,0.05,true,\n"
            "devices,1.1,,,false,\"none, as the batch does not divide\"\n");
}

}  // namespace
}  // namespace pipewright
