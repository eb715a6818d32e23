// What a result says of its experiment is one that can be run again, from anywhere.
#include <gtest/gtest.h>

#include "support/experiments.hpp"
#include "support/temporary_folder.hpp"

namespace pipewright::test {
namespace {

TEST(Rerun, a_model_without_sequences_gives_the_same) {
  const pipewright::Run first =
      run(experiment("model: alexnet\n"
                     "cluster: {node: dgx-a100-80g, nodes: 1, devices: 2}\n"
                     "parallel: {pipeline: 2}\nbatch: {global: 64, micro: 8}\n"
                     "precision: fp32\npartition: balanced\nschedule: 1f1b\n"));
  const pipewright::Run again = run(first.result.experiment);
  EXPECT_EQ(again.result.metrics.iteration, first.result.metrics.iteration);
}

// Nanotron waits for what it sends, reduces gradients at the end under ZeRO, and cuts the model by
// what its products weigh. A result says all three.
TEST(Rerun, habits_of_a_framework_are_said) {
  const pipewright::Run first =
      run(experiment("model: llama-2-7b\ncluster: {node: dgx-h100, nodes: 2}\n"
                     "parallel: {tensor: 4, pipeline: 2, data: auto, zero: 1}\n"
                     "batch: {global: 32, micro: 2, sequence: 4096}\nschedule: 1f1b\n"
                     "framework: nanotron\n"));
  config::Value said = first.result.experiment.value();
  EXPECT_EQ(said.find("overlap")->find("p2p")->text, "rendezvous");
  EXPECT_EQ(said.find("overlap")->find("data")->text, "false");
  EXPECT_EQ(said.find("partition")->items.size(), 2U);
  const pipewright::Run again = run(said);
  EXPECT_EQ(again.result.metrics.iteration, first.result.metrics.iteration);
}

TEST(Rerun, what_a_user_says_is_stronger_than_a_framework) {
  const pipewright::Run run = test::run(
      experiment("model: llama-2-7b\ncluster: {node: dgx-h100, nodes: 2}\n"
                 "parallel: {tensor: 4, pipeline: 2, data: auto, zero: 1}\n"
                 "batch: {global: 32, micro: 2, sequence: 4096}\nschedule: 1f1b\n"
                 "framework: nanotron\noverlap: {p2p: async, data: true}\npartition: even\n"));
  const config::Value said = run.result.experiment.value();
  EXPECT_EQ(said.find("overlap")->find("p2p")->text, "async");
  EXPECT_EQ(said.find("overlap")->find("data")->text, "true");
  EXPECT_EQ(said.find("partition")->text, "even");
}

TEST(Rerun, a_recipe_is_said_by_what_it_stands_for) {
  const auto said = [](const std::string& precision) {
    const pipewright::Run first =
        run(experiment("model: llama-2-7b\ncluster: {node: dgx-b200, nodes: 1}\nschedule: 1f1b\n"
                       "batch: {global: 8, sequence: 4096}\nprecision: " +
                       precision + "\n"));
    return *first.result.experiment.value().find("precision");
  };
  EXPECT_EQ(said("MXFP8BlockScaling").find("fp8")->text, "mxfp8");
  EXPECT_EQ(said("NVFP4BlockScaling").text, "nvfp4");
}

TEST(Rerun, files_are_named_as_from_anywhere) {
  const TemporaryFolder folder;
  const std::string file =
      folder.write("c.yaml", "{devices: 4, link: {latency: 1 us, bandwidth: 1 GB/s}}\n");
  const std::string beside = folder.write(
      "x.yaml",
      "model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}\n"
      "cluster: c.yaml\nschedule: 1f1b\n");
  const pipewright::Run first = run(config::parse_file(beside));
  EXPECT_EQ(first.result.experiment.value().find("cluster")->text, file);
}

}  // namespace
}  // namespace pipewright::test
