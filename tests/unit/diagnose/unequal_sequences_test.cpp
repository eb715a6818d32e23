#include "diagnose/candidates.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/jobs.hpp"

namespace pipewright::test {
namespace {

TEST(UnequalSequences, a_micro_batch_has_the_factor_of_all_its_passes) {
  const Known known(traced("1f1b", 3, 3, 1, 1, [](const TracedOperation& one) {
    return diagnose::is_pass(one.kind) && one.micro_batch == 1 ? 2.5 : 1.0;
  }));
  const diagnose::Evidence evidence = known.evidence();
  const diagnose::SequenceFactors factors = diagnose::sequence_factors(evidence);
  ASSERT_EQ(factors.size(), 3u);
  // The mean of 1, 2.5 and 1 is 1.5.
  EXPECT_NEAR(factors.at({0, 0, 0}), 1 / 1.5, 1e-9);
  EXPECT_NEAR(factors.at({0, 0, 1}), 2.5 / 1.5, 1e-9);
  const auto found = diagnose::unequal_sequences(evidence);
  ASSERT_FALSE(found.empty());
  for (const auto& [op, length] : found[0].cure) {
    const bool forward = known.trace.program.ops[op].type == 0;
    EXPECT_NEAR(in_seconds(length), forward ? 1.5 : 3, 1e-9);
  }
}

TEST(UnequalSequences, what_is_long_in_one_direction_is_no_long_sequence) {
  const Known known(traced("1f1b", 3, 3, 1, 1, [](const TracedOperation& one) {
    return one.kind == OperationKind::backward && one.micro_batch == 2 ? 1.2 : 1.0;
  }));
  EXPECT_NEAR(diagnose::sequence_factors(known.evidence()).at({0, 0, 2}), 1, 1e-9);
}

TEST(UnequalSequences, one_slow_stage_is_no_long_sequence) {
  const Known known(traced("1f1b", 4, 4, 1, 1, [](const TracedOperation& one) {
    return one.stage == 3 && one.micro_batch == 1 ? 3.0 : 1.0;
  }));
  for (const auto& [micro_batch, factor] : diagnose::sequence_factors(known.evidence()))
    EXPECT_NEAR(factor, 1, 1e-9);
}

// A replica all of whose micro-batches are long is slow, and has no long sequences.
TEST(UnequalSequences, a_slow_replica_has_no_long_sequences) {
  const Known known(traced(
      "1f1b", 2, 4, 3, 1, [](const TracedOperation& one) { return one.dp_rank == 1 ? 1.5 : 1.0; }));
  for (const auto& [micro_batch, factor] : diagnose::sequence_factors(known.evidence()))
    EXPECT_NEAR(factor, 1, 1e-9);
}

}  // namespace
}  // namespace pipewright::test
