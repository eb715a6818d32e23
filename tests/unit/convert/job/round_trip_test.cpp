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

// A job that takes them from outside finds them in its comments.
TEST(RoundTrip, comments_say_what_a_job_takes_from_outside) {
  const std::string text =
      "# pipewright| define: {NGPU: 8, model: {transformer: {layers: 4}}}\na: 1\n";
  EXPECT_EQ(job::written_definitions(text, "c.yaml"),
            (std::map<std::string, std::string>{{"NGPU", "8"}}));
  const auto model = job::written_model(text, "c.yaml");
  ASSERT_TRUE(model);
  EXPECT_EQ(model->find("transformer")->find("layers")->text, "4");
  EXPECT_FALSE(job::written_model("a: 1\n", "c.yaml"));
}

}  // namespace
}  // namespace pipewright::test
