#include "convert/job/named_node.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

std::string node_of(const std::string& file, std::map<std::string, std::string> given = {}) {
  const auto node =
      job::named_node({.text = {}, .file = file, .given = std::move(given), .partial = false});
  return node ? std::string(node->node) : "none";
}

TEST(NamedNode, a_file_or_its_folder_says_it) {
  EXPECT_EQ(node_of("recipes/llama/gb200/llama3.py"), "gb200-nvl72");
  EXPECT_EQ(node_of("configs/MI300X/llama3.1_8B.yaml"), "mi300x");
  EXPECT_EQ(node_of("a3mega/nemo-configs/llama3-70b.yaml"), "a3-mega");
  EXPECT_EQ(node_of("pretrain_llama3_70b_h200.sh"), "dgx-h200");
  EXPECT_EQ(node_of("h100/deep/folder/run.sh"), "none");
  EXPECT_EQ(node_of("run_gb2000.sh"), "none");
}

TEST(NamedNode, what_is_given_stands_over_the_file) {
  EXPECT_EQ(node_of("h100/llama3.py", {{"gpu", "b200"}}), "dgx-b200");
  EXPECT_EQ(node_of("llama3.py", {{"CONFIG", "llama3_8b_pretrain_8gpu_b300_bf16_config"}}),
            "dgx-b300");
}

TEST(NamedNode, a_scheduler_says_it_by_its_lines) {
  const auto in = [](const char* text) {
    const auto node = job::named_node({.text = text, .file = "h100.sh", .partial = false});
    return node ? std::string(node->node) : "none";
  };
  EXPECT_EQ(in("#SBATCH --constraint=a100\n"), "dgx-a100-80g");
  EXPECT_EQ(in("#!/bin/bash\n#SBATCH -N 2 -C v100-32g\n"), "dgx-1-v100-32g");
  EXPECT_EQ(in("#SBATCH --gres=gpu:b200:8\n"), "dgx-b200");
  EXPECT_EQ(in("#SBATCH --job-name=a100\n"), "dgx-h100");
}

TEST(NamedNode, a_cloud_says_it_by_the_machine) {
  const auto in = [](const char* text) {
    const auto node = job::named_node({.text = text, .file = "run.sh", .partial = false});
    return node ? std::string(node->node) : "none";
  };
  EXPECT_EQ(in("# on 4 p6-b200.48xlarge\n"), "p6-b200.48xlarge");
  EXPECT_EQ(in("nodeSelector: a4-highgpu-8g\n"), "a4-high");
  EXPECT_EQ(in("VM=Standard_ND96isr_H200_v5\n"), "nd-h200-v5");
  EXPECT_EQ(in("# p5.48xlarge or p4d.24xlarge\n"), "none");
  EXPECT_EQ(node_of("a4/nemo-configs/llama3.yaml"), "a4-high");
}

TEST(NamedNode, a_name_with_several_says_none) {
  EXPECT_EQ(node_of("h100_or_h200.sh"), "none");
  EXPECT_EQ(node_of("h100_and_h100.sh"), "dgx-h100");
}

TEST(NamedNode, a_recipe_may_say_its_devices) {
  const auto devices = [](const std::string& name) {
    return job::named_devices(
        {.text = {}, .file = "x.py", .given = {{"CONFIG", name}}, .partial = false});
  };
  EXPECT_EQ(devices("llama3_8b_pretrain_64gpu_h100_config"), 64);
  EXPECT_EQ(devices("llama3_8b_pretrain_config"), std::nullopt);
  EXPECT_EQ(devices("gpu_config"), std::nullopt);
  EXPECT_EQ(devices("0gpu_config"), std::nullopt);
}

// A rack has 72 devices, of which a smaller job uses some.
TEST(NamedNode, a_cluster_is_of_the_node_that_is_named) {
  job::Import import;
  job::Source source;
  source.file = "gb200/run.sh";
  job::assume_cluster(import, source, 64, 4);
  const config::Value& cluster = *import.experiment.find("cluster");
  EXPECT_EQ(cluster.find("node")->text, "gb200-nvl72");
  EXPECT_EQ(cluster.find("nodes")->text, "1");
  EXPECT_EQ(cluster.find("devices")->text, "64");
  EXPECT_FALSE(cluster.find("fabric"));
  EXPECT_NE(import.assumed.at(0).find("gb200-nvl72 is assumed, as its name says gb200"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
