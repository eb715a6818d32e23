#include "convert/torchtitan/function_keys.hpp"

#include <gtest/gtest.h>

#include "convert/torchtitan/keys.hpp"

namespace pipewright::test {
namespace {

TEST(TorchtitanFunctionKeys, they_stand_before_those_of_job_files) {
  const auto keys = torchtitan::function_keys();
  ASSERT_GT(keys.size(), torchtitan::other_keys().size());
  EXPECT_EQ(job::find_key(keys, "override.imports")->effect, job::Effect::slight);
  EXPECT_EQ(job::find_key(keys, "metrics.log_freq")->effect, job::Effect::nothing);
  EXPECT_EQ(job::find_key(keys, "parallelism.wings"), nullptr);
}

}  // namespace
}  // namespace pipewright::test
