#include <gtest/gtest.h>

#include "convert/formats/format.hpp"

namespace pipewright::test {
namespace {

TEST(AccelerateFormat, knows_its_files_from_others) {
  const convert::Format* format = convert::find_format("accelerate");
  ASSERT_TRUE(format);
  EXPECT_TRUE(format->recognises("debug: false\ndistributed_type: FSDP\n", "config.yaml"));
  EXPECT_FALSE(format->recognises("modules: {}\n", "config.yaml"));
}

// The cluster and the model stand in comments before it.
TEST(AccelerateFormat, knows_what_it_writes) {
  const convert::Format* format = convert::find_format("accelerate");
  EXPECT_TRUE(format->writing);
  EXPECT_TRUE(
      format->recognises("# pipewright| define:\ncompute_environment: LOCAL_MACHINE\n"
                         "distributed_type: \"FSDP\"\n",
                         "config.yaml"));
}

}  // namespace
}  // namespace pipewright::test
