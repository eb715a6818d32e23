#include "diagnose/rank_operations.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

TEST(RankOperations, passes_are_cut_where_direction_changes_and_at_messages) {
  TorchTrace trace;
  trace.backward(50, 10, 9).backward(70, 10, 9);
  trace.kernel("f0", 0, 10, 0).kernel("f0", 10, 5, 1);
  trace.collective("send", "PIPELINE_MODEL_PARALLEL_GROUP", "[3, 5]", 2, 15, 1, 2);
  trace.kernel("f1", 20, 10, 3).kernel("b0", 60, 10, 51, 9);
  trace.collective("recv", "PIPELINE_MODEL_PARALLEL_GROUP", "[3, 5]", 2, 70, 1, 61);
  trace.kernel("b1", 80, 10, 71, 9);
  const RankProfile profile = profile_of(trace, 5, 8);
  const diagnose::DeviceWork work = diagnose::device_work(profile);
  const diagnose::GridPlace place = diagnose::place_of(profile, work);
  EXPECT_EQ(place.stage, 1);
  const auto all = diagnose::operations_of(profile, work, place).operations;
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].kind, OperationKind::forward);
  EXPECT_EQ(all[0].duration, microseconds(15));
  EXPECT_EQ(all[1].micro_batch, 1);
  EXPECT_EQ(all[2].kind, OperationKind::backward);
  EXPECT_EQ(all[2].micro_batch, 0);
  EXPECT_EQ(all[3].micro_batch, 1);
  EXPECT_EQ(all[3].stage, 1);
}

TEST(RankOperations, gradients_are_reduced_and_parameters_gathered) {
  TorchTrace trace;
  trace.collective("_allgather_base", "DATA_PARALLEL_GROUP", "[0, 2]", 2, 0, 5, 0);
  trace.kernel("f", 6, 10, 1);
  trace.collective("_reduce_scatter_base", "DATA_PARALLEL_GROUP", "[0, 2]", 2, 17, 5, 2);
  const RankProfile profile = profile_of(trace, 2, 4);
  const diagnose::DeviceWork work = diagnose::device_work(profile);
  const diagnose::GridPlace place = diagnose::place_of(profile, work);
  EXPECT_EQ(place.data, 1);
  const auto all = diagnose::operations_of(profile, work, place).operations;
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].kind, OperationKind::params_all_gather);
  EXPECT_EQ(all[1].kind, OperationKind::grads_reduce_scatter);
  EXPECT_EQ(all[2].kind, OperationKind::forward);
}

}  // namespace
}  // namespace pipewright::test
