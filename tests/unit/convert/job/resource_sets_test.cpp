#include "convert/job/resource_sets.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Devices counted_devices(const std::string& text) {
  const shell::Outcome outcome = shell::follow(text, "run.sh", {});
  return job::devices_of(job::launches(outcome).at(0), outcome, text);
}

// 16 sets of 6 tasks, of which a node has one; a task has a device.
TEST(ResourceSets, count_processes) {
  const job::Devices devices = counted_devices("jsrun -n 16 -a6 -c 42 -g 6 -r 1 python a.py --x 1");
  EXPECT_EQ(devices.all, 96);
  EXPECT_EQ(devices.per_node, 6);
  EXPECT_EQ(counted_devices("jsrun --nrs=4 --tasks_per_rs=2 python a.py").all, 8);
  EXPECT_FALSE(counted_devices("jsrun python a.py").all);
}

TEST(ResourceSets, a_number_that_is_none_is_named) {
  EXPECT_NE(
      error_of([] { counted_devices("jsrun -n many python a.py"); }).find("--nrs needs a number"),
      std::string::npos);
}

TEST(ResourceSets, are_of_jsrun_alone) {
  job::Devices devices;
  EXPECT_FALSE(job::read_resource_sets({{"srun", {}, {}, {}}, {"-n", {}, {}, {}}}, devices));
}

}  // namespace
}  // namespace pipewright::test
