#include "plan/staged_model.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "support/model_jobs.hpp"

namespace pipewright::test {
namespace {

TEST(StagedModel, stages_share_the_layers) {
  ModelJob job(small_gpt(two_stages));
  const StagedModel model = job.cut(4);
  ASSERT_EQ(model.stages(), 4);
  EXPECT_EQ(model.layers_of(0).size(), 3u);  // the embedding and two blocks
  EXPECT_EQ(model.layers_of(1).size(), 2u);
  EXPECT_EQ(model.rank_of(3), 1);
  EXPECT_EQ(model.mesh_of(3).devices, job.grid.grid.mesh(1).devices);
}

TEST(StagedModel, a_stage_receives_what_the_last_layer_before_it_makes) {
  ModelJob job(small_gpt(two_stages));
  const StagedModel model = job.cut(2);
  EXPECT_EQ(model.received(0), Bytes{});
  EXPECT_EQ(model.received(1), Bytes{1024 * 1024 * 2});  // tokens x hidden x bf16
  EXPECT_EQ(model.resharding_edge_before(1), none);
}

TEST(StagedModel, recomputed_layers_are_the_first_of_each_stage) {
  ModelJob job(small_gpt(std::string(two_stages) + "recompute: {layers: 1}\n"));
  const StagedModel model = job.cut(4);
  EXPECT_FALSE(model.layers_of(2)[0].recompute.empty());
  EXPECT_TRUE(model.layers_of(2)[1].recompute.empty());
}

TEST(StagedModel, a_group_of_blocks_that_share_weights_stands_on_one_stage) {
  const auto groups = [](const char* count) {
    ModelJob job(experiment(
        std::string("model: {transformer: {layers: 8, hidden: 1024, heads: 16, vocabulary: 51200, "
                    "hidden_groups: ") +
        count +
        "}}\n"
        "cluster: {node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: hdr, nics: 8}}\n"
        "batch: {global: 64, micro: 1, sequence: 1024}\n" +
        two_stages));
    return error_of([&] { job.cut(2); });
  };
  EXPECT_EQ(groups("2"), "no error");
  EXPECT_NE(groups("3").find("stage 1 begins with block 4"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
