#include "convert/megatron/launches.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

std::string launches_of(const std::string& text) {
  FlagsOf given(text);
  const config::Value value = megatron::read_launches(*given.flags);
  return value.is_null() ? "none" : config::to_yaml(value);
}

const std::string mixture = "--num-experts 8 ";

TEST(MegatronLaunches, are_ahead_where_nobody_captures) {
  EXPECT_EQ(launches_of(""), "none");
  EXPECT_EQ(launches_of("--cuda-graph-impl none --cuda-graph-modules attn"), "none");
}

TEST(MegatronLaunches, have_graphs_of_modules) {
  EXPECT_EQ(launches_of(mixture + "--cuda-graph-impl transformer_engine --cuda-graph-modules attn "
                                  "moe_router moe_preprocess"),
            launches_of(mixture + "--external-cuda-graph --cuda-graph-scope attn moe_router "
                                  "moe_preprocess"));
  const std::string local = launches_of("--cuda-graph-impl local --cuda-graph-modules attn mlp");
  EXPECT_NE(local.find("attn"), std::string::npos);
  EXPECT_NE(local.find("mlp"), std::string::npos);
  EXPECT_NE(local.find("local"), std::string::npos);
}

// cuda_graph_config.py: an empty list and "full" are whole layers, "full_iteration" a value of
// --cuda-graph-impl today, "full_iteration_inference" not of training.
TEST(MegatronLaunches, of_earlier_releases_mean_what_todays_do) {
  EXPECT_EQ(launches_of("--enable-cuda-graph"), launches_of("--cuda-graph-impl local"));
  EXPECT_EQ(launches_of("--external-cuda-graph --cuda-graph-scope full"),
            launches_of("--cuda-graph-impl transformer_engine"));
  EXPECT_EQ(launches_of("--cuda-graph-impl local --cuda-graph-scope full_iteration"),
            launches_of("--cuda-graph-impl full_iteration"));
  EXPECT_EQ(launches_of("--cuda-graph-impl local --cuda-graph-scope full_iteration_inference"),
            "none");
  EXPECT_NE(launches_of("--cuda-graph-impl full_iteration").find("iteration"), std::string::npos);
  EXPECT_NE(launches_of("--enable-cuda-graph").find("layer"), std::string::npos);
}

TEST(MegatronLaunches, of_the_step_go_with_those_of_an_iteration) {
  EXPECT_NE(launches_of("--cuda-graph-impl full_iteration --optimizer-cuda-graph").find("graph"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              launches_of("--cuda-graph-impl local --optimizer-cuda-graph");
            }).find("beside the graph of an iteration"),
            std::string::npos);
}

TEST(MegatronLaunches, modules_that_the_model_lacks_are_noted) {
  FlagsOf given("--cuda-graph-impl local --cuda-graph-modules attn moe_router");
  const config::Value value = megatron::read_launches(*given.flags);
  EXPECT_EQ(value.find("graphs")->items.size(), 1u);
  ASSERT_EQ(given.import.slight.size(), 1u);
  EXPECT_NE(given.import.slight[0].find("the model has no moe_router"), std::string::npos);
}

TEST(MegatronLaunches, of_unknown_modules_are_refused) {
  EXPECT_NE(error_of([] {
              launches_of("--cuda-graph-impl local --cuda-graph-modules attention");
            }).find("attention cannot be said"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
