#include "convert/torchtitan/recompute.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"
#include "job_settings.hpp"

namespace pipewright::test {
namespace {

config::Value recompute(const std::string& text, int64_t layers, int64_t stages) {
  JobSettings job("[activation_checkpoint]\n" + text);
  return torchtitan::read_recompute(job.settings, layers, stages);
}

TEST(TorchtitanRecompute, has_three_modes) {
  EXPECT_TRUE(recompute("mode = \"none\"\n", 8, 2).is_null());
  EXPECT_EQ(recompute("mode = \"full\"\n", 8, 2).text, "full");
  EXPECT_EQ(at(recompute("selective_ac_option = \"op\"\n", 8, 2), {"products"}), "2");
}

// Every second of 8 layers in 2 stages: 2 of each stage.
TEST(TorchtitanRecompute, every_so_many_layers_are_as_many_of_each_stage) {
  EXPECT_EQ(at(recompute("selective_ac_option = \"2\"\n", 8, 2), {"layers"}), "2");
  EXPECT_EQ(recompute("selective_ac_option = \"1\"\n", 8, 2).text, "full");
  EXPECT_NE(error_of([] {
              recompute("selective_ac_option = \"3\"\n", 8, 2);
            }).find("every 3 layers cannot be said of stages of 4"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
