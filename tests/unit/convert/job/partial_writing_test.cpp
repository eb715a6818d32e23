#include "convert/job/partial_writing.hpp"

#include <gtest/gtest.h>

#include "convert/megatron/script.hpp"
#include "convert/megatron/writer.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import read(const job::Source& source) {
  job::Import import = megatron::import_script(source);
  job::read_surroundings(source.text, source.file, import.experiment);
  return import;
}

std::string written(const std::string& more, bool partly = true) {
  const config::Catalogue catalogue;
  const config::Value document = config::parse(
      "model: {transformer: {layers: 8, hidden: 256, heads: 4, vocabulary: 1024}}\n"
      "cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
      "parallel: {tensor: 2, pipeline: 2, data: 2}\nbatch: {global: 24, micro: 1, sequence: "
      "128}\n" +
          more,
      "e.yaml");
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  const job::Writer writer{
      .format = "megatron-args", .file = "run.sh", .write = megatron::write_script, .read = read};
  return partly ? job::write_partly(experiment, catalogue, {}, writer)
                : job::write_job(experiment, catalogue, {}, writer);
}

// Megatron-LM has Adam and 1F1B alone of these.
TEST(PartialWriting, what_is_read_otherwise_stands_at_the_head) {
  const std::string more = "schedule: zb-h1\noptimizer: adafactor\n";
  EXPECT_NE(error_of([&] { written(more, false); }).find("cannot say optimizer: adafactor"),
            std::string::npos);
  const std::string job = written(more);
  EXPECT_TRUE(job.starts_with(
      "#!/bin/bash\n# matters, but cannot be said: optimizer: adafactor (it is read as adam)\n"
      "# matters, but cannot be said: schedule: zb-h1 (it is read as 1f1b)\n"))
      << job;
  EXPECT_NE(job.find("--pipeline-model-parallel-size 2"), std::string::npos);
}

TEST(PartialWriting, what_can_be_said_has_no_such_head) {
  EXPECT_EQ(written("schedule: 1f1b\n"), written("schedule: 1f1b\n", false));
}

std::vector<std::string> refusals(const std::string& more) {
  const config::Catalogue catalogue;
  const config::Value document = config::parse(
      "model: {transformer: {layers: 8, hidden: 256, heads: 4, vocabulary: 1024}}\n"
      "cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
      "parallel: {tensor: 2, pipeline: 2, data: 2}\nbatch: {global: 24, micro: 1, sequence: "
      "128}\n" +
          more,
      "e.yaml");
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  const job::Writer writer{
      .format = "megatron-args", .file = "run.sh", .write = megatron::write_script, .read = read};
  return job::all_that_stops(experiment, catalogue, {}, writer).lines();
}

// Hopper has no MXFP8, and Megatron-LM neither Adafactor nor ZB-H1: what stops first hides the
// rest.
TEST(PartialWriting, all_that_cannot_be_said_is_refused_at_once) {
  const std::vector<std::string> lines =
      refusals("schedule: zb-h1\noptimizer: adafactor\nprecision: {fp8: mxfp8}\n");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_NE(lines[0].find("e.yaml:7:12: error: Transformer Engine has MXFP8"), std::string::npos);
  EXPECT_NE(lines[1].find("cannot say optimizer: adafactor"), std::string::npos);
  EXPECT_NE(lines[2].find("cannot say schedule: zb-h1"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
