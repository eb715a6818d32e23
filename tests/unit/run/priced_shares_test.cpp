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

// Eight layers of two products each forward and backward, all cut over four ranks: at least 32
// collectives a micro-batch, which are compared for 0.3 ms and 0.26 ms for each of three ranks.
TEST(PricedShares, a_host_that_compares_collectives_shows) {
  const auto host = [](const std::string& checks) {
    return in_seconds(run(small_gpt("parallel: {tensor: 4, pipeline: 1, data: 2}\n"
                                    "schedule: 1f1b\nchecks: " +
                                        checks + "\n",
                                    1))
                          .result.metrics.breakdown.host);
  };
  EXPECT_GT(host("detail"), host("none") + 32 * 32 * 0.9 * 1.08e-3);
}

}  // namespace
}  // namespace pipewright::test
