#include "convert/job/job.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

TEST(Job, what_it_leaves_out_stands_at_the_head) {
  job::Import import;
  import.from = "a job";
  import.experiment.set("a", config::scalar("b"));
  import.assumed.push_back("two\nlines");
  import.unused.push_back("--lr 1");
  EXPECT_EQ(to_yaml(import),
            "# From a job.\n# assumed: two lines\n# does not matter here: --lr 1\na: b\n");
}

TEST(Job, what_cannot_be_said_stops_it_unless_a_part_is_wanted) {
  job::Import import;
  job::Source source;
  EXPECT_NE(error_of([&] {
              refuse(source, import, {"x", 1, 2}, "this");
            }).find("x:1:2: error: this"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              refuse(source, import, {"x", 1, 2}, "this; did you mean 'that'?");
            }).find("'that'? --partial"),
            std::string::npos);
  source.partial = true;
  refuse(source, import, {"x", 1, 2}, "this");
  EXPECT_EQ(import.refused, std::vector<std::string>{"this (x:1:2)"});
}

TEST(Job, a_cluster_of_eight_a_node_stands_in_for_another) {
  EXPECT_EQ(job::assumed_cluster(32, 8).find("nodes")->text, "4");
  EXPECT_FALSE(job::assumed_cluster(32, 8).find("devices"));
  EXPECT_EQ(job::assumed_cluster(4, 4).find("devices")->text, "4");
  EXPECT_EQ(job::assumed_cluster(16, 4).find("nodes")->text, "4");  // four of each node
  EXPECT_EQ(job::assumed_cluster(32, 16).find("nodes")->text, "4");
}

TEST(Job, a_number_of_devices_may_be_given) {
  job::Source source;
  EXPECT_FALSE(job::given_devices(source));
  source.given["NGPU"] = "16";
  EXPECT_EQ(job::given_devices(source), 16);
  source.given["NGPU"] = "some";
  EXPECT_EQ(error_of([&] { job::given_devices(source); }),
            "error: --define NGPU=some: needs a number of devices");
}

TEST(Job, long_lines_are_cut_between_letters) {
  job::Import import;
  import.experiment.set("a", config::scalar("b"));
  std::string data(399, 'x');
  for (int i = 0; i < 100; ++i) data += "\u00e9";
  import.unused.push_back(data);
  const std::string yaml = to_yaml(import);
  EXPECT_NE(yaml.find("# does not matter here: " + std::string(399, 'x') + " ...\na: b\n"),
            std::string::npos)
      << yaml;
}

}  // namespace
}  // namespace pipewright::test
