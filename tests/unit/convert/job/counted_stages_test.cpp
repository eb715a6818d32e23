#include "convert/job/counted_stages.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "config/value.hpp"

namespace pipewright::job {
namespace {

config::Value counted(const std::string& partition) {
  static const config::Catalogue catalogue;
  return with_counted_stages(
      config::parse("model: {base: gpt3-13b, layers: 14}\ncluster: {node: dgx-a100-80g, nodes: 8}\n"
                    "parallel: {tensor: 8, pipeline: 4}\nbatch: {global: 32, micro: 1}\n"
                    "schedule: 1f1b\n" +
                        partition,
                    "e.yaml"),
      catalogue);
}

TEST(CountedStages, name_the_blocks_of_balanced_ones) {
  const config::Value experiment = counted("partition: balanced\n");
  const config::Value* partition = experiment.find("partition");
  ASSERT_TRUE(partition && partition->is_list());
  ASSERT_EQ(partition->items.size(), 4U);
  int64_t sum = 0;
  for (const config::Value& count : partition->items) sum += config::as_int(count, 1, 14);
  EXPECT_EQ(sum, 14);
}

TEST(CountedStages, leave_other_partitions_as_they_are) {
  const config::Value experiment = counted("partition: [4, 4, 3, 3]\n");
  const config::Value* given = experiment.find("partition");
  ASSERT_TRUE(given);
  EXPECT_EQ(given->items.front().text, "4");
}

}  // namespace
}  // namespace pipewright::job
