#include "experiment/misplaced_keys.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"

namespace pipewright {
namespace {

std::string told_of(const std::string& yaml) {
  return test::error_of([&] { refuse_misplaced_keys(config::parse(yaml, "x.yaml")); });
}

TEST(MisplacedKeys, at_the_top_are_told_their_place) {
  EXPECT_EQ(told_of("model: gpt3\ntensor: 4"),
            "x.yaml:2:1: error: unknown key 'tensor'; it is 'parallel.tensor'");
  EXPECT_EQ(told_of("experts: 8"), "no error");  // of a model more likely than of adapters
  EXPECT_EQ(told_of("nodes: 4"), "x.yaml:1:1: error: unknown key 'nodes'; it is 'cluster.nodes'");
}

TEST(MisplacedKeys, the_short_names_of_frameworks_are_known) {
  EXPECT_EQ(told_of("parallel: {tp: 4}"), "x.yaml:1:12: error: unknown key 'tp'; it is 'tensor'");
  EXPECT_EQ(told_of("gbs: 4"), "x.yaml:1:1: error: unknown key 'gbs'; it is 'batch.global'");
  EXPECT_EQ(key_called("vpp"), "parallel.virtual");
}

TEST(MisplacedKeys, where_keys_belong_nothing_is_said) {
  EXPECT_EQ(told_of("{model: gpt3, parallel: {tensor: 4}, batch: {global: 8}}"), "no error");
}

}  // namespace
}  // namespace pipewright
