#include "convert/job/round_trip.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

TEST(RoundTrip, comments_say_what_a_job_does_not) {
  config::Value e =
      config::parse("{cluster: {node: a, nodes: 2}, overlap: {data: true}}", "e.yaml");
  job::read_surroundings(
      "#!/bin/bash\n# pipewright| cluster:\n# pipewright|   devices: 4\n"
      "# pipewright| overlap: {p2p: sender}\nrun\n",
      "run.sh", e);
  EXPECT_EQ(e.find("cluster")->find("devices")->text, "4");
  EXPECT_FALSE(e.find("cluster")->find("node"));  // replaced as a whole
  EXPECT_EQ(e.find("overlap")->find("data")->text, "true");
  EXPECT_EQ(e.find("overlap")->find("p2p")->text, "sender");
}

TEST(RoundTrip, comments_do_not_say_what_a_job_does) {
  config::Value e;
  EXPECT_EQ(
      error_of([&] { job::read_surroundings("a\n# pipewright| precision: fp8\n", "run.sh", e); }),
      "run.sh:2:1: error: 'precision' behind '# pipewright|' is for the job to say");
}

TEST(RoundTrip, a_transformer_is_a_map_that_reads_back) {
  TransformerShape shape;
  shape.layers = 3;
  shape.hidden = 64;
  shape.heads = 4;
  shape.kv_heads = 2;
  shape.head_dim = 32;
  shape.ffn = 100;
  shape.vocabulary = 7;
  shape.experts = Experts{.count = 4, .active = 2, .ffn = 10, .groups = 2, .active_groups = 1};
  shape.positions = Positions::rope;
  const TransformerShape again = read_transformer(job::transformer_map(shape));
  EXPECT_EQ(again.head_dim, 32);
  EXPECT_EQ(again.kv_heads, 2);
  EXPECT_EQ(again.experts->active, 2);
  EXPECT_EQ(again.experts->groups, 2);
  EXPECT_EQ(again.experts->active_groups, 1);
  EXPECT_EQ(again.positions, Positions::rope);
}

}  // namespace
}  // namespace pipewright::test
