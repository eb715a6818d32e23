#include "diagnose/usual_collectives.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using enum OperationKind;

constexpr double untouched = 99;

struct StageCollective {
  int32_t stage;
  int64_t bytes;
  double length;
};

/// One pass on each of `stages`, then these collectives, one after another on each stage.
std::vector<TracedOperation> job_of(int32_t stages, const std::vector<StageCollective>& collectives,
                                    OperationKind kind = grads_reduce_scatter) {
  std::vector<TracedOperation> all;
  std::vector<double> free(static_cast<size_t>(stages), 1);
  for (int32_t stage = 0; stage < stages; ++stage)
    all.push_back(operation(forward, stage, 0, 0, 1));
  for (const StageCollective& one : collectives) {
    double& start = free[static_cast<size_t>(one.stage)];
    TracedOperation added = operation(kind, one.stage, -1, start, one.length);
    added.bytes = one.bytes;
    all.push_back(added);
    start += one.length;
  }
  return all;
}

/// In seconds, what the collectives would take: by stage, in order of their starts.
std::vector<double> usual_in(std::vector<TracedOperation> operations) {
  const Known known(std::move(operations));
  std::vector<Time> ideal(known.trace.lengths.size(), seconds(untouched));
  diagnose::hold_against_other_stages(known.job, known.trace, ideal);
  std::vector<double> usual;
  known.evidence().for_each([&](const TracedOperation& one, OpId body) {
    if (one.kind != forward) usual.push_back(in_seconds(ideal[body]));
  });
  return usual;
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << i;
}

TEST(UsualCollectives, slow_stages_are_held_against_the_others) {
  expect_near(usual_in(job_of(3, {{0, 100, 1}, {1, 100, 4}, {2, 100, 1}})), {1, 1, 1});
  // Half of the stages are slow: others of each take 1, 1 and 3 s.
  const std::vector<double> half =
      usual_in(job_of(4, {{0, 100, 1}, {1, 100, 3}, {2, 100, 1}, {3, 100, 3}}));
  ASSERT_EQ(half.size(), 4u);
  for (const size_t slow : {size_t{1}, size_t{3}}) EXPECT_NEAR(half[slow], 1, 1e-9);
}

// Stage 2 has twice the bytes: of its time half is what the others' bytes would take.
TEST(UsualCollectives, times_are_compared_for_as_many_bytes) {
  expect_near(usual_in(job_of(3, {{0, 100, 1}, {1, 100, 5}, {2, 200, 2}})), {1, 1, 2});
}

TEST(UsualCollectives, without_others_of_such_bytes_or_of_its_kind_nothing_is_known) {
  expect_near(usual_in(job_of(2, {{0, 100, 1}, {1, 201, 5}})), {untouched, untouched});
  expect_near(usual_in(job_of(2, {{0, 0, 1}, {1, 0, 5}})), {untouched, untouched});
  std::vector<TracedOperation> kinds = job_of(2, {{0, 100, 1}, {1, 100, 5}});
  kinds.back().kind = params_all_gather;
  expect_near(usual_in(std::move(kinds)), {untouched, untouched});
}

// The others hide the first of stage 0 behind their passes.
TEST(UsualCollectives, the_last_is_held_against_the_last_and_what_others_hide_takes_nothing) {
  expect_near(usual_in(job_of(3, {{0, 100, 3}, {0, 100, 8}, {1, 100, 2}, {2, 100, 2}})),
              {0, 2, 2, 2});
}

}  // namespace
}  // namespace pipewright::test
