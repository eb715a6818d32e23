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
