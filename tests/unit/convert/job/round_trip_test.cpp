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

}  // namespace
}  // namespace pipewright::test
