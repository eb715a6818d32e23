#include <gtest/gtest.h>

#include "simulate/run.hpp"
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

TEST(Problems, a_key_that_only_another_makes_unknown_is_no_problem) {
  const std::string rest = "model: gpt2-small\nschedule: 1f1b\ncluster: {node: gone.yaml, nodes: 2";
  const auto told = [&](const std::string& more) {
    return problems_of(experiment(rest + more), config::Catalogue{}, {});
  };
  ASSERT_EQ(told(", fabric: {kind: star, link: eth-10}}\n").size(), 1u);
  const std::vector<std::string> both = told(", fabrik: {kind: star, link: eth-10}}\n");
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[0].find("'fabrik'"), std::string::npos);
  EXPECT_NE(both[1].find("gone.yaml"), std::string::npos);
}

/// Of a sound experiment with `rest` added.
std::vector<std::string> with(const std::string& rest) {
  return problems_of(experiment("model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms,"
                                " backward: 2 ms}}\n"
                                "cluster: {devices: 4, link: {latency: 0 s}}\n"
                                "schedule: 1f1b\n" +
                                rest),
                     config::Catalogue{}, {});
}

TEST(Problems, a_bad_value_is_not_missed_once_it_is_out) {
  for (const char* section :
       {"failures: {device_mtbf: 5 GB}\n", "failures: {device_mtbf: 1 h, checkpoint_time: 5 GB}\n",
        "variation: {compute_spread: x}\n", "overlap: {tensor: {chunked: 1}}\n",
        "failures:\n  checkpoint_time: 1 s\n  device_mtbf: 5 GB\n"}) {
    EXPECT_EQ(with(section).size(), 1u) << section;
    const std::vector<std::string> problems = with(std::string(section) + "iterations: none\n");
    ASSERT_EQ(problems.size(), 2u) << section;
    const bool first = problems[0].find("'none'") != std::string::npos;
    EXPECT_TRUE(first || problems[1].find("'none'") != std::string::npos) << problems[1];
  }
}

TEST(Problems, neither_is_a_section_that_cannot_be_without_it) {
  for (const char* document :
       {"model: {synthetic: {devices: 4, microbatches: x, forward: 1 ms, backward: 2 ms}}\n"
        "cluster: {devices: 4, link: {latency: 0 s}}\n"
        "schedule: 1f1b\n",
        "model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}\n"
        "cluster: {devices: 4, link: {latency: 0 s}}\n"
        "schedule: {command: 'true'}\n",
        "model: gpt2-small\n"
        "cluster: {devices: 4, device: h1000, link: {latency: 0 s}}\n"
        "schedule: 1f1b\n"}) {
    EXPECT_EQ(problems_of(experiment(document), config::Catalogue{}, {}).size(), 1u) << document;
  }
}

// What is told is one mistake: without its shape a model is none, and without `batch` a model that
// says no sequence has none.
TEST(Problems, what_follows_from_what_was_taken_out_is_not_told) {
  const std::string model =
      "model: {transformer: {layers: 4, hidden: 64, heads: 2, ffn: 256, vocabulary: 64}}\n";
  for (const std::string& document :
       {model + "cluster: {devices: 3, link: {latency: 0 s},\n"
                "          device: {flops: {bf16: 1 TFLOP/s}, memory: 1 GiB,\n"
                "                   memory_bandwidth: 1 TB/s}}\n"
                "parallel: {tensor: 3}\nbatch: {global: 8, sequence: 64}\nschedule: 1f1b\n",
        model + "cluster: {node: dgx-a100-80g, nodes: 1, devices: 3}\n"
                "parallel: {data: 3}\nbatch: {global: 64, sequence: 64}\nschedule: 1f1b\n"}) {
    const std::vector<std::string> problems =
        problems_of(experiment(document), config::Catalogue{}, {});
    EXPECT_EQ(problems.size(), 1u) << document << problems.back();
  }
}

TEST(Problems, flows_are_read_on_after_a_bad_one) {
  const std::vector<std::string> problems =
      problems_of(experiment("cluster: {devices: 4, link: {latency: 0 s}}\n"
                             "traffic: [{from: 0, to: 9, bytes: 1}, {from: 7, to: 1, bytes: 1}]\n"),
                  config::Catalogue{}, {});
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(problems[0].starts_with("x.yaml:2:25: error: device 9")) << problems[0];
  EXPECT_TRUE(problems[1].starts_with("x.yaml:2:46: error: device 7")) << problems[1];
}

TEST(Problems, a_key_that_was_never_there_is_told_once) {
  const std::vector<std::string> of_section = with("failures:\n  checkpoint_time: 1 s\n");
  ASSERT_EQ(of_section.size(), 1u);
  EXPECT_EQ(of_section[0], "x.yaml:5:3: error: failures needs the key 'device_mtbf'");
  const std::vector<std::string> of_document =
      problems_of(experiment("model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms,"
                             " backward: 2 ms}}\n"
                             "schedule: 1f1b\n"
                             "precision: bf17\n"),
                  config::Catalogue{}, {});
  ASSERT_EQ(of_document.size(), 2u);
  EXPECT_TRUE(of_document[0].starts_with("x.yaml:3:12: error: 'bf17'")) << of_document[0];
  EXPECT_EQ(of_document[1], "x.yaml:1:1: error: an experiment needs the key 'cluster'");
}

TEST(Problems, a_sound_experiment_has_none) {
  EXPECT_TRUE(problems_of(four_ranks("zb-v"), config::Catalogue{}, {}).empty());
}

}  // namespace
}  // namespace pipewright::test
