// Ranks agree on the largest numbers of fp8 operands after every pass of a stage.
#include "plan/amax.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Work amax_product(DType dtype, int64_t count) {
  return {.kernel = Kernel::gemm, .dtype = dtype, .shape = {count, 64, 64, 64}};
}

/// Two products in fp8, one of them for 4 experts, and a router in bf16.
StageWork stage() {
  StageWork work;
  work.forward = {{.kernels = {amax_product(DType::fp8, 1), amax_product(DType::bf16, 1),
                               amax_product(DType::fp8, 4)}}};
  work.backward = work.input_gradient = work.forward;
  return work;
}

// 5 weights in fp8: 3 numbers of 4 bytes for each after the forward pass, 2 after the backward.
TEST(Amax, a_pass_ends_with_an_all_reduce_of_its_operands_largest_numbers) {
  StageWork work = stage();
  agree_on_amaxes(Axis::stage, work);
  ASSERT_EQ(work.forward.size(), 3U);
  EXPECT_EQ(work.forward[1].collective->bytes, Bytes{4 * 3 * 5});
  EXPECT_EQ(work.forward[1].collective->kind, CollectiveKind::all_reduce);
  EXPECT_EQ(work.forward[1].collective->axis, Axis::stage);
  EXPECT_TRUE(work.forward[1].joins) << "whatever chain the numbers come from";
  for (const Segments* pass : {&work.backward, &work.input_gradient})
    EXPECT_EQ((*pass)[1].collective->bytes, Bytes{4 * 2 * 5});
  EXPECT_TRUE(work.last_backward.empty());
  EXPECT_TRUE(work.weight_gradient.empty());
}

// So that what is sent on, and the next pass, wait for it.
TEST(Amax, scales_are_made_before_anything_follows) {
  StageWork work = stage();
  agree_on_amaxes(Axis::stage, work);
  EXPECT_EQ(work.forward.back().kernels.size(), 1U);
  EXPECT_FALSE(work.forward.back().collective);
}

TEST(Amax, nothing_is_added_where_no_product_is_in_fp8) {
  StageWork work;
  work.forward = {{.kernels = {amax_product(DType::bf16, 1)}}};
  agree_on_amaxes(Axis::stage, work);
  EXPECT_EQ(work.forward.size(), 1U);
}

/// 2 stages, 2 tensor ranks, 4 replicas on 2 nodes of H100; each replica has 4 micro-batches.
Run fp8_gpt(const std::string& precision, bool fold = true) {
  return run(experiment("model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, "
                        "vocabulary: 32768}}\n"
                        "cluster: {node: dgx-h100, nodes: 2, fabric: {kind: fat-tree, link: ndr, "
                        "nics: 8}}\n"
                        "parallel: {tensor: 2, pipeline: 2, data: 4}\n"
                        "batch: {global: 16, micro: 1, sequence: 1024}\n"
                        "schedule: 1f1b\n"
                        "launches: graph\n"
                        "precision: " +
                        precision + "\n"),
             fold);
}

double sent_as(const Run& run, Traffic traffic) {
  return run.result.metrics.communication[static_cast<size_t>(traffic)].bytes;
}

// A stage has 2 blocks of 4 products: 8 (3 + 2) numbers of 4 bytes for each of 4 micro-batches, on
// two stages. All-reduced over n ranks they cross links 2 (n - 1) times: over all 8 of a stage, or
// over the 2 of each of 4 replicas.
TEST(Amax, all_ranks_of_a_stage_agree_or_those_of_a_replica) {
  const auto all = fp8_gpt("{fp8: delayed}"), replica = fp8_gpt("{fp8: delayed, amax: tensor}");
  EXPECT_EQ(all.result.metrics.iteration, fp8_gpt("fp8").result.metrics.iteration);
  const double numbers = 8 * (3 + 2) * 4;
  EXPECT_EQ(sent_as(all, Traffic::data) - sent_as(replica, Traffic::data), 2 * 4 * numbers * 2 * 7);
  EXPECT_EQ(sent_as(replica, Traffic::tensor) - sent_as(all, Traffic::tensor),
            2 * 4 * numbers * 4 * 2);
  EXPECT_GT(all.result.metrics.iteration, replica.result.metrics.iteration)
      << "between nodes it takes longer than within one";
}

TEST(Amax, replicas_that_meet_in_every_pass_fold_to_the_same_time) {
  EXPECT_EQ(fp8_gpt("fp8").result.metrics.iteration,
            fp8_gpt("fp8", false).result.metrics.iteration);
}

TEST(Amax, only_delayed_scaling_has_passes_that_end_so) {
  EXPECT_EQ(error_of([] { fp8_gpt("{fp8: mxfp8, amax: tensor}"); }),
            "x.yaml:7:31: error: amax: only under 'fp8: delayed' do ranks agree after a pass");
}

}  // namespace
}  // namespace pipewright::test
