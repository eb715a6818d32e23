#include "convert/megatron/offload.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

config::Value offload_of(const std::string& text) {
  FlagsOf given(text);
  return megatron::read_offload(*given.flags);
}

const std::string modules = "--fine-grained-activation-offloading --offload-modules ";

TEST(MegatronOffload, the_optimizer_goes_whole_or_stays) {
  EXPECT_TRUE(offload_of("").is_null());
  EXPECT_EQ(offload_of("--optimizer-cpu-offload").text, "optimizer");
  EXPECT_TRUE(offload_of("--optimizer-cpu-offload --optimizer-offload-fraction 0.0").is_null());
}

TEST(MegatronOffload, modules_go_by_name) {
  const config::Value value = offload_of(modules + "core_attn attn_proj");
  ASSERT_EQ(value.find("modules")->items.size(), 2u);
  EXPECT_EQ(value.find("modules")->items[1].text, "attn_proj");
  EXPECT_EQ(value.find("optimizer"), nullptr);
}

TEST(MegatronOffload, modules_and_the_optimizer_may_both_go) {
  const config::Value value = offload_of(modules + "core_attn --optimizer-cpu-offload");
  EXPECT_EQ(value.find("modules")->items.size(), 1u);
  EXPECT_EQ(at(value, {"optimizer"}), "true");
}

TEST(MegatronOffload, names_of_modules_without_the_switch_are_nothing) {
  EXPECT_TRUE(offload_of("--offload-modules core_attn").is_null());
}

}  // namespace
}  // namespace pipewright::test
