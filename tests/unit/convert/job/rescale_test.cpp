#include "convert/job/rescale.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

/// 8 devices: tensor 2 x pipeline 2 x data 2, of which each replica has 12 sequences.
config::Value small_job() {
  return config::parse(
      "model: {transformer: {layers: 8, hidden: 256, heads: 4, vocabulary: 1024}}\n"
      "cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}\n"
      "parallel: {tensor: 2, pipeline: 2, data: 2}\npartition: [5, 3]\n"
      "batch: {global: 24, micro: 1, sequence: 128}\nschedule: 1f1b\n",
      "job.yaml");
}

struct Rescaled {
  config::Value experiment = small_job(), carried;
  std::vector<std::string> notes;
};

Rescaled rescaled(const std::vector<std::string>& assignments) {
  Rescaled out;
  out.notes = job::rescale(out.experiment, out.carried, assignments, config::Catalogue());
  return out;
}

// 64 nodes are 512 devices, 128 replicas of 12 sequences.
TEST(Rescale, replicas_fill_another_cluster_and_keep_their_sequences) {
  const Rescaled out = rescaled({"cluster.nodes=64"});
  EXPECT_EQ(at(out.experiment, {"parallel", "data"}), "128");
  EXPECT_EQ(at(out.experiment, {"batch", "global"}), "1536");
  EXPECT_EQ(out.notes.size(), 2u);
  EXPECT_TRUE(out.experiment.find("partition"));
}

// 512 devices are 64 nodes of 8; 12 devices are two nodes of which 12 devices are used.
TEST(Rescale, devices_beyond_the_nodes_are_in_more_nodes) {
  const Rescaled out = rescaled({"cluster.devices=512"});
  EXPECT_EQ(at(out.experiment, {"cluster", "nodes"}), "64");
  EXPECT_EQ(at(out.experiment, {"parallel", "data"}), "128");
  EXPECT_EQ(out.notes.front(), "cluster.nodes is 64, as many as hold 512 devices");
  const Rescaled part = rescaled({"cluster.devices=12"});
  EXPECT_EQ(at(part.experiment, {"cluster", "nodes"}), "2");
  EXPECT_EQ(at(part.experiment, {"cluster", "devices"}), "12");
  EXPECT_EQ(at(part.experiment, {"parallel", "data"}), "3");
}

TEST(Rescale, other_degrees_share_the_same_devices) {
  const Rescaled out = rescaled({"parallel.pipeline=4"});
  EXPECT_EQ(at(out.experiment, {"parallel", "data"}), "1");
  EXPECT_EQ(at(out.experiment, {"batch", "global"}), "12");
  EXPECT_EQ(at(out.experiment, {"cluster", "nodes"}), "1");
  EXPECT_FALSE(out.experiment.find("partition"));
}

TEST(Rescale, what_is_set_stays) {
  const Rescaled out = rescaled({"parallel.data=6", "batch.global=48"});
  EXPECT_EQ(at(out.experiment, {"parallel", "data"}), "6");
  EXPECT_EQ(at(out.experiment, {"batch", "global"}), "48");
  EXPECT_EQ(at(out.experiment, {"cluster", "nodes"}), "3");  // 24 devices
  EXPECT_EQ(out.notes.size(), 1u);
}

TEST(Rescale, what_changes_no_device_changes_nothing_else) {
  config::Value wanted = small_job();
  wanted.set("recompute", config::scalar("full"));
  const Rescaled out = rescaled({"recompute=full"});
  EXPECT_EQ(at(out.experiment, {"recompute"}), "full");
  EXPECT_EQ(at(out.experiment, {"batch", "global"}), "24");
  EXPECT_TRUE(out.notes.empty());
}

TEST(Rescale, there_and_back_is_the_same_job) {
  config::Value job = small_job(), nothing;
  job::rescale(job, nothing, {"cluster.nodes=16"}, config::Catalogue());
  job::rescale(job, nothing, {"cluster.nodes=1"}, config::Catalogue());
  EXPECT_EQ(at(job, {"parallel", "data"}), "2");
  EXPECT_EQ(at(job, {"batch", "global"}), "24");
}

// 256 devices are in four racks, 64 of 72 in each.
TEST(Rescale, another_node_has_the_devices_of_before) {
  Rescaled out;
  job::rescale(out.experiment, out.carried, {"cluster.nodes=32"}, config::Catalogue());
  out.notes =
      job::rescale(out.experiment, out.carried, {"cluster.node=gb200-nvl72"}, config::Catalogue());
  EXPECT_EQ(at(out.experiment, {"cluster", "nodes"}), "4");
  EXPECT_EQ(at(out.experiment, {"cluster", "devices"}), "256");
  EXPECT_EQ(at(out.experiment, {"parallel", "data"}), "64");
  EXPECT_EQ(out.notes.size(), 1u);
}

// Five stages of eight layers do not fit, which is what is set right.
TEST(Rescale, what_a_job_says_before_need_not_fit) {
  Rescaled out;
  out.experiment.find("parallel")->set("pipeline", config::scalar("5"));
  job::rescale(out.experiment, out.carried, {"parallel.pipeline=2", "cluster.nodes=2"},
               config::Catalogue());
  EXPECT_EQ(at(out.experiment, {"parallel", "data"}), "4");
  EXPECT_EQ(at(out.experiment, {"batch", "global"}), "48");
}

// 100 steps of 24 x 128 tokens; 8 nodes have 16 replicas of 12 sequences.
TEST(Rescale, steps_stay_where_devices_were_assumed) {
  Rescaled out;
  out.experiment.set("training", {}).set("tokens", config::scalar("307200"));
  out.carried = config::parse("mine: {step: {tokens: 3072, devices: assumed}}", "c.yaml");
  job::rescale(out.experiment, out.carried, {"cluster.nodes=8"}, config::Catalogue());
  EXPECT_EQ(at(out.experiment, {"training", "tokens"}), "2457600");
  EXPECT_EQ(at(out.carried, {"mine", "step", "tokens"}), "24576");
  Rescaled known;
  known.experiment.set("training", {}).set("tokens", config::scalar("307200"));
  known.carried = config::parse("mine: {step: {tokens: 3072}}", "c.yaml");
  job::rescale(known.experiment, known.carried, {"cluster.nodes=8"}, config::Catalogue());
  EXPECT_EQ(at(known.experiment, {"training", "tokens"}), "307200");
}

TEST(Rescale, a_cluster_is_named_by_its_nodes_kind) {
  const std::string line = "# assumed: the job does not say its cluster: DGX H100 is assumed";
  EXPECT_TRUE(job::is_said(line, {"cluster.node=dgx-b200"}));
  EXPECT_TRUE(job::is_said(line, {"cluster=selene-96"}));
  EXPECT_FALSE(job::is_said(line, {"cluster.nodes=4", "cluster.devices=8"}));
}

TEST(Rescale, a_length_that_is_set_is_assumed_no_more) {
  const std::string line = "# assumed: sequences have 131072 tokens, as the model's";
  EXPECT_TRUE(job::is_said(line, {"batch.global=128", "batch.sequence=4096"}));
  EXPECT_FALSE(job::is_said(line, {"batch.global=128"}));
  EXPECT_FALSE(job::is_said("# sequences have 131072 tokens", {"batch.sequence=4096"}));
}

TEST(Rescale, degrees_that_do_not_divide_the_devices_are_named) {
  EXPECT_NE(error_of([] { rescaled({"parallel.tensor=3"}); }).find("multiple of tensor"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
