#include <gtest/gtest.h>

#include <bit>

#include "error_of.hpp"
#include "experiment/readers.hpp"

namespace pipewright::test {
namespace {

LaunchOptions launched(const char* text) { return read_launches(config::parse(text, "x.yaml")); }

TEST(ReadLaunches, reads_every_word) {
  EXPECT_EQ(launched("ahead").kind, Launches::ahead);
  EXPECT_EQ(launched("blocking").kind, Launches::blocking);
  EXPECT_EQ(launched("graph").kind, Launches::graph);
  EXPECT_EQ(launched("{graphs: [iteration]}").kind, Launches::passes);
}

TEST(ReadLaunches, modules_are_megatrons) {
  const LaunchOptions some = launched("{graphs: [attn, moe_router, moe_preprocess]}");
  EXPECT_EQ(some.kind, Launches::modules);
  EXPECT_EQ(std::popcount(static_cast<unsigned>(some.graphs.modules)), 3);
  EXPECT_TRUE(some.graphs.has(GraphedModule::moe_preprocess));
  EXPECT_FALSE(some.graphs.behind_experts);
  const LaunchOptions all = launched("{graphs: [layer]}");
  for (const GraphedModule module :
       {GraphedModule::attn, GraphedModule::mlp, GraphedModule::moe, GraphedModule::mamba})
    EXPECT_TRUE(all.graphs.has(module));
}

// transformer_config.py: "local impl doesn't currently distinguish between moe_preprocess or
// moe_router so just set both if either is specified".
TEST(ReadLaunches, megatrons_own_graphs_have_the_router_and_what_follows) {
  for (const char* module : {"moe_router", "moe_preprocess"}) {
    const std::string text = std::string("{graphs: [") + module + "], capture: local}";
    const LaunchOptions local = launched(text.c_str());
    EXPECT_TRUE(local.graphs.has(GraphedModule::moe_router));
    EXPECT_TRUE(local.graphs.has(GraphedModule::moe_preprocess));
    EXPECT_TRUE(local.graphs.behind_experts);
  }
}

TEST(ReadLaunches, mistakes_say_what_would_be_right) {
  const auto error = [](const char* text) { return error_of([&] { launched(text); }); };
  EXPECT_EQ(error("{graphs: [atn]}"),
            "x.yaml:1:11: error: 'atn' must be one of attn, mlp, moe, moe_router, moe_preprocess, "
            "mamba, layer, iteration; did you mean 'attn'?");
  EXPECT_NE(error("{graphs: []}").find("must be a list such as [attn, moe_router]"),
            std::string::npos);
  EXPECT_NE(error("{capture: local}").find("graphs"), std::string::npos);
  EXPECT_NE(error("{graphs: [layer, attn]}").find("stands alone"), std::string::npos);
  EXPECT_NE(error("{graphs: [moe, moe_router]}").find("moe has the router in it"),
            std::string::npos);
  EXPECT_NE(error("{graphs: [moe_preprocess]}").find("goes with moe_router"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
