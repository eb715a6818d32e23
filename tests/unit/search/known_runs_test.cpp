#include "search/known_runs.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "config/value.hpp"
#include "support/experiments.hpp"

namespace pipewright::search {
namespace {

TEST(KnownRuns, run_what_is_not_known) {
  KnownRuns runs;
  int ran = 0;
  const auto run = [&] {
    ++ran;
    return Proposal{.iteration_time_s = ran};
  };
  const config::Value one = test::experiment("batch: {micro: 1}\n"),
                      two = test::experiment("batch: {micro: 2}\n");
  EXPECT_EQ(runs.of(one, run).iteration_time_s, 1);
  EXPECT_EQ(runs.of(two, run).iteration_time_s, 2);
  EXPECT_EQ(runs.of(one, run).iteration_time_s, 1);
  EXPECT_EQ(ran, 2);
}

TEST(KnownRuns, keep_no_run_that_failed) {
  KnownRuns runs;
  const config::Value one = test::experiment("batch: {micro: 1}\n");
  EXPECT_THROW(runs.of(one, []() -> Proposal { throw InputError("no host"); }), InputError);
  EXPECT_EQ(runs.of(one, [] { return Proposal{.nodes = 3}; }).nodes, 3);
}

}  // namespace
}  // namespace pipewright::search
