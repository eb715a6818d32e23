#include "run/priced_shares.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Breakdown account_of(const std::string& rest) {
  return run(small_gpt("parallel: {tensor: 1, pipeline: 4, data: 4}\nschedule: 1f1b\n" + rest))
      .result.metrics.breakdown;
}

TEST(PricedShares, what_is_run_again_is_told_from_the_backward_pass) {
  Breakdown none = account_of(""), full = account_of("recompute: full\n");
  EXPECT_EQ(none[ComputeKind::recompute], Time{});
  EXPECT_GT(full[ComputeKind::recompute], divide(full[ComputeKind::forward], 2));
  EXPECT_NEAR(in_seconds(none[ComputeKind::backward]), in_seconds(full[ComputeKind::backward]),
              0.01 * in_seconds(none[ComputeKind::backward]));
}

TEST(PricedShares, a_host_that_waits_for_every_kernel_shows) {
  EXPECT_GT(account_of("launches: blocking\n").host, account_of("").host);
}

}  // namespace
}  // namespace pipewright::test
