#include "convert/accelerate/keys.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(AccelerateKeys, that_matter_are_not_called_irrelevant) {
  for (const char* path : {"use_cpu", "compute_environment", "fsdp_config.fsdp_ignored_modules"})
    EXPECT_EQ(job::find_key(accelerate::other_keys(), path)->effect, job::Effect::refused) << path;
  EXPECT_EQ(job::find_key(accelerate::other_keys(), "main_process_port")->effect,
            job::Effect::nothing);
  EXPECT_EQ(job::find_key(accelerate::other_keys(), "fsdp_confg"), nullptr);
}

}  // namespace
}  // namespace pipewright::test
