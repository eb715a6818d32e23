#include "convert/job/heading.hpp"

#include <gtest/gtest.h>

#include "../megatron/lines_of.hpp"

namespace pipewright::test {
namespace {

const std::string small =
    "model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024}}\n"
    "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n";

std::string head(const std::vector<std::string>& notes, const char* carried, const char* along,
                 const std::string& node = "dgx-h100") {
  const Experiment experiment =
      experiment_of(small + "cluster: {node: " + node + ", nodes: 1}\nparallel: {data: 8}\n");
  std::vector<std::string> remarks;
  const config::Value map = config::parse(carried, "c.yaml");
  job::Writer writer{.format = "mine", .file = "x"};
  writer.yours = "data";
  writer.along = config::parse(along, "a.yaml");
  return job::heading(experiment, writer, {notes, map}, remarks);
}

// What the import assumed of the cluster is not said of another one.
TEST(Heading, an_assumed_cluster_is_not_said_of_another) {
  const std::string note = "assumed: the job does not say its cluster: DGX H100 is assumed";
  EXPECT_EQ(head({note}, "null", "null"),
            "# of the job that was imported: " + note + "\n# yours to add: data\n");
  EXPECT_EQ(head({note}, "null", "null", "gb200-nvl72"), "# yours to add: data\n");
  // As of MXFP8, which Hopper lacks.
  const std::string later = "assumed: the job does not say its cluster: DGX B200 is assumed";
  EXPECT_EQ(head({later}, "null", "null", "dgx-b200"),
            "# of the job that was imported: " + later + "\n# yours to add: data\n");
  EXPECT_EQ(head({later}, "null", "null"), "# yours to add: data\n");
}

// "Not simulated" alone would let a reader think that it is written.
TEST(Heading, what_is_not_simulated_says_whether_it_is_written) {
  const std::string note = "matters somewhat, but is not simulated: --a-flag 3: kernels";
  EXPECT_EQ(head({note}, "null", "null"),
            "# of the job that was imported: not written: --a-flag 3: kernels\n"
            "# yours to add: data\n");
  EXPECT_EQ(head({note}, "{mine: {a-flag: 3}}", "{a-flag: 3}"),
            "# of the job that was imported: " + note + "\n");
}

TEST(Heading, what_another_framework_said_beside_is_named) {
  EXPECT_EQ(head({}, "{other: {optimizer: {lr: 1}, left: [\"--save $(x)\"]}}", "null"),
            "# not written: --save $(x), optimizer.lr (of the other job that was imported)\n"
            "# yours to add: data\n");
}

}  // namespace
}  // namespace pipewright::test
