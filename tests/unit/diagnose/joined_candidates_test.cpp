#include "diagnose/joined_candidates.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

/// What is joined of data ranks that take these seconds for a pass and 3 s when cured.
std::vector<diagnose::Tried> joined_of(const std::vector<double>& lengths) {
  std::vector<TracedOperation> all;
  for (size_t data = 0; data < lengths.size(); ++data)
    all.push_back(
        operation(OperationKind::forward, 0, 0, 0, lengths[data], static_cast<int32_t>(data)));
  const Known known(std::move(all));
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  std::vector<diagnose::Tried> tried;
  for (size_t rank = 0; rank < lengths.size(); ++rank) {
    diagnose::Candidate one{.kind = CauseKind::worker, .who = "rank " + std::to_string(rank)};
    one.cure = {{known.trace.body[rank], seconds(3)}};
    const double recovered_s = cures.none().step_s - cures.with(one, cures.none()).step_s;
    tried.push_back({std::move(one), recovered_s, recovered_s});
  }
  diagnose::join_hidden(known.job, cures, cures.none(), CauseKind::worker, tried);
  return {tried.begin() + static_cast<std::ptrdiff_t>(lengths.size()), tried.end()};
}

TEST(JoinedCandidates, ranks_that_hide_each_other_are_one) {
  const std::vector<diagnose::Tried> joined = joined_of({9, 9, 3, 3});
  ASSERT_EQ(joined.size(), 1u);
  EXPECT_EQ(joined[0].candidate.who, "rank 0; rank 1");
  EXPECT_NEAR(joined[0].now_s, 6, 1e-9);
  EXPECT_NEAR(joined[0].alone_s, 6, 1e-9);
}

// Without the first a step takes 4 s less; all of them together make it 6 s shorter.
TEST(JoinedCandidates, a_rank_that_is_far_slower_than_the_others_stands_alone) {
  EXPECT_TRUE(joined_of({9, 5, 3, 3}).empty());
}

TEST(JoinedCandidates, names_tell_whether_they_are_of_a_rank_within_a_group) {
  EXPECT_TRUE(diagnose::has_member("data rank 1, stage 0, tensor rank 2"));
  EXPECT_TRUE(diagnose::has_member("data rank 1, stage 0, context rank 2"));
  EXPECT_FALSE(diagnose::has_member("data rank 1, stage 0"));
}

}  // namespace
}  // namespace pipewright::test
