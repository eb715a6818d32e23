#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

TEST(Problems, all_are_told_at_once) {
  const std::vector<std::string> problems =
      problems_of(experiment("model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms,"
                             " backward: 2 ms}}\n"
                             "cluster: {devices: 4, link: {latency: 0 s}}\n"
                             "schedule: 1f1b\n"
                             "shedule: 1f1b\n"
                             "precision: bf17\n"
                             "iterations: none\n"),
                  config::Catalogue{}, {});
  ASSERT_EQ(problems.size(), 3u);
  EXPECT_EQ(problems[0], "x.yaml:4:1: error: unknown key 'shedule'; did you mean 'schedule'?");
  EXPECT_TRUE(problems[1].starts_with("x.yaml:5:12: error: 'bf17'")) << problems[1];
  EXPECT_TRUE(problems[2].starts_with("x.yaml:6:13: error: 'none'")) << problems[2];
}

TEST(Problems, a_stage_of_a_strategy_is_not_taken_out_for_the_others_lean_on_it) {
  const std::vector<std::string> problems =
      problems_of(experiment("model: gpt2-small\n"
                             "cluster: {node: dgx-a100-80g, nodes: 1}\n"
                             "schedule: 1f1b\n"
                             "strategy:\n"
                             "  - {layers: 0-5, devices: 0-3, tensor: 3}\n"
                             "  - {layers: 6-11, devices: 4-7, tensor: 4}\n"),
                  config::Catalogue{}, {});
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(problems[0].starts_with("x.yaml:5:")) << problems[0];
}

TEST(Problems, a_sound_experiment_has_none) {
  EXPECT_TRUE(problems_of(four_ranks("zb-v"), config::Catalogue{}, {}).empty());
}

}  // namespace
}  // namespace pipewright::test
