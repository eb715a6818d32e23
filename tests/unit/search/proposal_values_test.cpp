#include "search/proposal_values.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pipewright::search {
namespace {

TEST(ProposalValues, what_is_not_known_is_beyond_every_limit) {
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(value_of({}, "iteration_time"), unknown);
  EXPECT_EQ(value_of({}, "time_to_train"), unknown);
  EXPECT_EQ(value_of({}, "cost"), unknown);
}

TEST(ProposalValues, memory_lacks_beyond_the_tightest_limit) {
  const config::Catalogue catalogue;
  Problem problem{.experiment = {}, .catalogue = catalogue, .run = {}};
  Proposal proposal;
  proposal.peak_memory_bytes = 50;
  proposal.feasible = true;
  EXPECT_FALSE(lacks_memory(problem, proposal));
  problem.limits = {{"memory", 100}, {"iteration_time", 1}, {"memory", 50}};
  EXPECT_FALSE(lacks_memory(problem, proposal));
  problem.limits.push_back({"memory", 49});
  EXPECT_TRUE(lacks_memory(problem, proposal));
  problem.limits.clear();
  proposal.feasible = false;
  EXPECT_TRUE(lacks_memory(problem, proposal));
}

}  // namespace
}  // namespace pipewright::search
