#include "report/csv/diagnosis.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(DiagnosisCsv, a_cause_is_a_line_and_what_it_lacks_is_empty) {
  Diagnosis d;
  d.steps = {{1, 2, 2, 1}, {2, 6, 6, 1}};
  d.causes = {{.kind = CauseKind::worker,
               .who = "data rank 1, stage 2",
               .recovered_s = 1,
               .attributed_s = 0.5,
               .share = 1.25,
               .remedy = "look",
               .devices = {3, 8, 9}},
              {.kind = CauseKind::bubble, .who = "1f1b", .recovered_s = 2, .beyond_peers = true}};
  EXPECT_EQ(csv_text(d),
            "cause,who,recovered_s,step_fraction,attributed_s,share,remedied_s,gain_p10_s,"
            "gain_p90_s,remedy,devices,at_most\n"
            "worker,\"data rank 1, stage 2\",1,0.25,0.5,1.25,,,,look,\"3, 8-9\",\n"
            "bubble,1f1b,2,0.5,0,,,,,,,true\n");
}

}  // namespace
}  // namespace pipewright
