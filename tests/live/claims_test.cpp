// What `reproduce` works out live.
#include "calibrate/live/claims.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "study/paper.hpp"

namespace pipewright::test {
namespace {

TEST(LiveClaims, each_that_a_paper_may_name_is_there) {
  for (const std::string_view check : live_checks) {
    if (check == "pipelined-backprop") continue;  // takes seconds; 'reproduce --all' runs it
    for (const live::LiveCase& one : live::live_claim(std::string(check))) {
      SCOPED_TRACE(one.name);
      EXPECT_NE(one.baseline_value, 0);
      EXPECT_NEAR(one.system_value / one.baseline_value, 1, 1e-5);
    }
  }
  EXPECT_THROW(live::live_claim("adjiont"), InputError);
}

}  // namespace
}  // namespace pipewright::test
