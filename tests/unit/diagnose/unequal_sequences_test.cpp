#include "diagnose/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

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

// Two micro-batches of a replica do not tell how much they vary; those of all replicas do.
TEST(UnequalSequences, a_slow_replica_of_two_micro_batches_is_told_by_the_others) {
  const Known known(traced(
      "1f1b", 2, 2, 4, 1, [](const TracedOperation& one) { return one.dp_rank == 1 ? 1.5 : 1.0; }));
  for (const auto& [micro_batch, factor] : diagnose::sequence_factors(known.evidence()))
    EXPECT_NEAR(factor, 1, 1e-9);
}

// One micro-batch a replica is as long as its device is slow. Updates tell which of the two it is:
// they take as long however long sequences are.
TEST(UnequalSequences, updates_tell_a_slow_replica_of_one_micro_batch) {
  for (const double update : {1.5, 1.0}) {
    std::vector<TracedOperation> all;
    for (int data = 0; data < 4; ++data) {
      const double slow = data == 1 ? 1.5 : 1;
      all.push_back(operation(OperationKind::forward, 0, 0, 0, slow, data));
      all.push_back(operation(OperationKind::backward, 0, 0, slow, 2 * slow, data));
      all.push_back(
          operation(OperationKind::optimizer, 0, -1, 3 * slow, data == 1 ? update : 1, data));
    }
    const Known known(std::move(all));
    const auto factors = diagnose::sequence_factors(known.evidence());
    EXPECT_NEAR(factors.at({0, 1, 0}) / factors.at({0, 0, 0}), update > 1 ? 1 : 1.5, 1e-9);
  }
}

TEST(UnequalSequences, long_micro_batches_of_one_replica_are_long_where_others_vary_as_much) {
  const auto length = [](const TracedOperation& one) {
    return 1.0 + 0.4 * ((one.dp_rank + one.micro_batch) % 3);
  };
  const Known known(traced("1f1b", 2, 2, 4, 1, length));
  double least = 2, most = 0;
  for (const auto& [micro_batch, factor] : diagnose::sequence_factors(known.evidence())) {
    least = std::min(least, factor);
    most = std::max(most, factor);
  }
  EXPECT_NEAR(most / least, 1.8, 1e-9);
}

}  // namespace
}  // namespace pipewright::test
