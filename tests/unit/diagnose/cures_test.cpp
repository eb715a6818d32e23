#include "diagnose/cures.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

using diagnose::Aspect;

/// A pass of 12 s, and a cure of it that leaves `left` of these.
diagnose::Candidate cure_of(const Known& known, Aspect aspect, double left) {
  diagnose::Candidate one{.aspect = aspect};
  one.cure = {{known.trace.body[0], seconds(left)}};
  return one;
}

Known one_pass() { return Known({operation(OperationKind::forward, 0, 0, 0, 12)}); }

// Of 12 s one leaves a half and the other a third.
TEST(Cures, those_of_different_aspects_multiply) {
  const Known known = one_pass();
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  EXPECT_NEAR(cures.none().step_s, 12, 1e-9);
  const diagnose::Cured half = cures.with(cure_of(known, Aspect::device, 6), cures.none());
  EXPECT_NEAR(half.step_s, 6, 1e-9);
  EXPECT_NEAR(cures.with(cure_of(known, Aspect::sequence, 4), half).step_s, 2, 1e-9);
}

TEST(Cures, of_one_aspect_the_first_cures) {
  const Known known = one_pass();
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  const diagnose::Cured half = cures.with(cure_of(known, Aspect::device, 6), cures.none());
  EXPECT_NEAR(cures.with(cure_of(known, Aspect::device, 4), half).step_s, 6, 1e-9);
}

// Two data ranks compute 1 s and 3 s of a pass of 4 s: a cure of the slow one takes it to 1 s, and
// 1 s of bytes stays.
TEST(Cures, of_a_pass_in_lockstep_bytes_stay_when_its_rank_is_cured) {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  all[0].own = seconds(1);
  all[1].own = seconds(3);
  for (TracedOperation& one : all) one.together = diagnose::all_together;
  const Known known(std::move(all));
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  diagnose::Candidate slow{.aspect = Aspect::device};
  slow.cure = {{known.trace.body[1], seconds(2)}};
  EXPECT_NEAR(cures.with(slow, cures.none()).step_s, 2, 1e-9);
  diagnose::Candidate bytes{.aspect = Aspect::message};
  for (const OpId body : known.trace.body) bytes.cure.push_back({body, seconds(3.5)});
  EXPECT_NEAR(cures.with(bytes, cures.none()).step_s, 3.5, 1e-9);
}

/// Passes of 4 s of two data ranks, which compute 1 s each. Within their replicas they exchange 1 s
/// and 2 s.
std::vector<TracedOperation> exchanging() {
  std::vector<TracedOperation> all = {operation(OperationKind::forward, 0, 0, 0, 4, 0),
                                      operation(OperationKind::forward, 0, 0, 0, 4, 1)};
  for (TracedOperation& one : all) one.own = seconds(1), one.together = diagnose::all_together;
  all[0].exchanges[0] = seconds(1);
  all[1].exchanges[0] = seconds(2);
  return all;
}

/// The step when data rank 1 exchanges as fast as data rank 0.
double step_of_fast_exchanges(const Known& known) {
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  diagnose::Candidate one{.aspect = Aspect::exchange};
  one.cure = {{known.trace.body[1], seconds(3)}};
  return cures.with(one, cures.none()).step_s;
}

// All wait for data rank 1, and then 1 s for bytes.
TEST(Cures, of_exchanges_are_those_of_all_who_wait_for_them) {
  EXPECT_NEAR(step_of_fast_exchanges(Known(exchanging())), 3, 1e-9);
}

// Collectives take 3.5 s of the pass, however fast exchanges are.
TEST(Cures, of_exchanges_leave_collectives_as_long_as_they_are) {
  Known known(exchanging());
  known.job.windows = {{{seconds(4), seconds(1), seconds(3.5), seconds(2), {}}}};
  known.job.operations[1].windows = 0;
  EXPECT_NEAR(step_of_fast_exchanges(known), 3.5, 1e-9);
}

// The context ranks of the one data rank gather weights for 9 s of its pass.
TEST(Cures, of_a_job_with_one_rank_leave_collectives_as_long_as_they_are) {
  Known known = one_pass();
  known.job.windows = {{{seconds(12), seconds(12), seconds(9)}}};
  known.job.operations[0].windows = 0;
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::Cures cures(evidence);
  EXPECT_NEAR(cures.with(cure_of(known, Aspect::device, 6), cures.none()).step_s, 9, 1e-9);
}

}  // namespace
}  // namespace pipewright::test
