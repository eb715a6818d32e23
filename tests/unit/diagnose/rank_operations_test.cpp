#include "diagnose/rank_operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

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
  ASSERT_EQ(all.size(), 6u);
  EXPECT_EQ(all[0].kind, OperationKind::forward);
  EXPECT_EQ(all[0].duration, microseconds(15));
  EXPECT_EQ(all[1].kind, OperationKind::forward_send);
  EXPECT_EQ(all[1].duration, microseconds(1));
  EXPECT_EQ(all[2].micro_batch, 1);
  EXPECT_EQ(all[3].kind, OperationKind::backward);
  EXPECT_EQ(all[3].micro_batch, 0);
  EXPECT_EQ(all[4].kind, OperationKind::backward_recv);
  EXPECT_EQ(all[5].micro_batch, 1);
  EXPECT_EQ(all[5].stage, 1);
}

diagnose::RankOperations operations_of(const TorchTrace& trace, int rank, int world) {
  const RankProfile profile = profile_of(trace, rank, world);
  const diagnose::DeviceWork work = diagnose::device_work(profile);
  return diagnose::operations_of(profile, work, diagnose::place_of(profile, work));
}

// b waits 80 us for an exchange of tokens that c follows at once, and 5 us for its host.
TEST(RankOperations, waiting_for_tokens_is_no_compute) {
  TorchTrace trace;
  trace.kernel("a", 0, 10, 0);
  trace.collective("all_to_all", "EXPERT_MODEL_PARALLEL_GROUP", "[0, 1]", 2, 10, 80, 1);
  trace.kernel("b", 90, 10, 2).kernel("c", 106, 10, 104);
  const auto all = operations_of(trace, 0, 2).operations;
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].duration, microseconds(116));
  EXPECT_EQ(all[0].waits, microseconds(80));
  EXPECT_EQ(all[0].held, microseconds(5));
  EXPECT_EQ(all[0].own, microseconds(31));
}

// Two forwards in a row without a message between them, the later chunk first.
TEST(RankOperations, actions_name_passes_and_messages) {
  TorchTrace trace;
  trace.range("PP:2F0", 0, 10).range("PP:0F1", 10, 10).range("PP:0SEND_F1", 20, 5);
  trace.range("PP:2B0", 30, 10).backward(30, 10, 9);
  trace.kernel("f2", 1, 5, 1).kernel("loss", 6, 2, 25.5).kernel("f0", 11, 5, 11);
  trace.collective("send", "PIPELINE_MODEL_PARALLEL_GROUP", "[3, 5]", 2, 21, 2, 21);
  trace.kernel("b2", 31, 5, 31, 9);
  const auto found = operations_of(trace, 3, 8);
  EXPECT_EQ(found.model_stages, (std::vector<int32_t>{0, 2}));
  const auto& all = found.operations;
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(std::tuple(all[0].kind, all[0].chunk, all[0].micro_batch),
            std::tuple(OperationKind::forward, 1, 0));
  EXPECT_EQ(std::tuple(all[1].kind, all[1].chunk, all[1].micro_batch),
            std::tuple(OperationKind::forward, 0, 1));
  EXPECT_EQ(std::tuple(all[2].kind, all[2].chunk, all[2].micro_batch),
            std::tuple(OperationKind::forward_send, 0, 1));
  EXPECT_EQ(std::tuple(all[3].kind, all[3].chunk, all[3].micro_batch),
            std::tuple(OperationKind::backward, 1, 0));
}

TEST(RankOperations, what_is_computed_next_tells_whether_it_waits_for_a_send) {
  for (const bool waits : {true, false}) {
    TorchTrace trace;
    trace.kernel("f0", 0, 100, 0);
    trace.collective("send", "PIPELINE_MODEL_PARALLEL_GROUP", "[3, 5]", 2, 100, 50, 1);
    trace.kernel("f1", waits ? 150 : 110, 100, 2);
    const auto all = operations_of(trace, 3, 8).operations;
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[1].awaited, waits);
  }
}

// A rank of stage 0 and data rank 0 of four: sums with its replica, and one of all ranks.
TEST(RankOperations, a_sum_over_stages_is_the_norm) {
  TorchTrace trace;
  trace.collective("recv", "PIPELINE_MODEL_PARALLEL_GROUP", "[0, 2]", 2, 0, 5, 0);
  trace.kernel("f", 5, 10, 1);
  trace.collective("allreduce", "DATA_PARALLEL_GROUP", "[0, 1]", 2, 20, 5, 2);
  trace.collective("allreduce", "", "[0, 1, 2, 3]", 4, 30, 5, 3);
  const auto all = operations_of(trace, 0, 4).operations;
  EXPECT_EQ(std::ranges::count(all, OperationKind::grads_reduce_scatter, &TracedOperation::kind),
            1);
  EXPECT_EQ(std::ranges::count(all, OperationKind::clip, &TracedOperation::kind), 1);
}

// The device is idle from 10 to 500: its host asks for the second kernel at 499, or at 1.
TEST(RankOperations, a_pass_says_how_long_its_host_held_it_up) {
  for (const double launched : {499.0, 1.0}) {
    TorchTrace trace;
    trace.kernel("f", 0, 10, 0).kernel("f", 500, 10, launched);
    const auto all = operations_of(trace, 0, 1).operations;
    ASSERT_EQ(all.size(), 1u);
    EXPECT_NEAR(in_seconds(all[0].held), launched == 1 ? 0 : 490e-6, 10e-6);
  }
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

/// A kernel between two forward passes that moves what four calls ask for. Of stages 4, 6 and 8 the
/// rank is the middle one.
TorchTrace four_messages() {
  TorchTrace trace;
  trace.kernel("f0", 0, 10, 0);
  for (const auto& [name, peer] :
       {std::pair("send", 8), std::pair("send", 4), std::pair("recv", 4), std::pair("recv", 8)})
    trace.message_call(name, "PIPELINE_MODEL_PARALLEL_GROUP", "[4, 6, 8]", 3, peer, 1);
  return trace.kernel("ncclDevKernel_SendRecv", 10, 5, 2, 1, 20).kernel("f1", 15, 10, 3);
}

TEST(RankOperations, messages_of_one_kernel_go_their_ways_by_their_peers) {
  const auto all = operations_of(four_messages(), 6, 9).operations;
  std::vector<OperationKind> kinds;
  for (const TracedOperation& one : all) kinds.push_back(one.kind);
  using enum OperationKind;
  EXPECT_EQ(kinds, (std::vector<OperationKind>{forward, forward_send, backward_send, forward_recv,
                                               backward_recv, forward}));
  for (size_t i = 1; i < 5 && i < all.size(); ++i) {
    EXPECT_TRUE(all[i].batched && all[i].awaited);
    EXPECT_EQ(all[i].duration, microseconds(5));
    EXPECT_EQ(all[i].bytes, 2000);
  }
}

// 100 us of weights come between kernels of 10 us; of the second pass its first kernel waits, too.
TEST(RankOperations, what_waits_for_weights_is_no_compute) {
  TorchTrace trace;
  trace.backward(2, 1, 9);
  trace.kernel("f", 0, 10, 0);
  trace.collective("_allgather_base", "mesh_fsdp", "[0, 1]", 2, 5, 105, 0);
  trace.kernel("f", 112, 10, 1);
  trace.collective("_allgather_base", "mesh_fsdp", "[0, 1]", 2, 122, 100, 1);
  trace.kernel("b", 224, 10, 2.5, 9);
  const auto all = operations_of(trace, 0, 2).operations;
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].duration, microseconds(122));
  EXPECT_EQ(all[0].own, microseconds(20));
  EXPECT_EQ(all[1].start, microseconds(122));
  EXPECT_EQ(all[1].own, microseconds(10));
  EXPECT_EQ(all[1].waits, microseconds(102));
}

}  // namespace
}  // namespace pipewright::test
