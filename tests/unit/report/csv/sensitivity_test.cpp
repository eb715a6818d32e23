#include "report/csv/sensitivity.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(SensitivityCsv, what_cannot_be_simulated_has_its_note) {
  Sensitivity s;
  s.rows = {{.resource = "device FLOP/s", .iteration_time_s = 2, .gain = 0.05},
            {.resource = "devices", .feasible = false, .note = "no, none"}};
  EXPECT_EQ(csv_text(s),
            "resource,factor,iteration_time_s,gain_fraction,feasible,note\n"
            "device FLOP/s,1.1,2,0.05,true,\n"
            "devices,1.1,,,false,\"no, none\"\n");
}

}  // namespace
}  // namespace pipewright
