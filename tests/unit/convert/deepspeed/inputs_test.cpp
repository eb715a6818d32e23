#include "convert/deepspeed/inputs.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "job_of.hpp"

namespace pipewright::test {
namespace {

deepspeed::Inputs inputs_of(const std::string& text, std::vector<job::Further> further = {}) {
  job::Import import;
  const job::Source source{.text = text,
                           .file = "first",
                           .given = {},
                           .partial = false,
                           .read = {},
                           .further = std::move(further)};
  return deepspeed::read_inputs(source, import);
}

const std::string config = R"({"train_batch_size": 8})";

TEST(DeepSpeedInputs, files_are_told_apart_in_any_order) {
  const deepspeed::Inputs inputs = inputs_of(
      llama, {{"run.sh", "deepspeed --num_gpus 4 a.py"}, {"ds.json", "# ours\n" + config}});
  EXPECT_TRUE(inputs.config.find("train_batch_size"));
  EXPECT_TRUE(inputs.model);
  EXPECT_EQ(inputs.launch.world.devices, 4);
}

TEST(DeepSpeedInputs, a_job_without_a_configuration_says_what_is_missing) {
  EXPECT_EQ(error_of([] { inputs_of("deepspeed a.py --deepspeed_config b.json\n"); }),
            "first:1:35: error: 'b.json' cannot be read: give the configuration of DeepSpeed "
            "(JSON) as a further FILE");
  EXPECT_NE(error_of([] { inputs_of("deepspeed a.py"); }).find("no configuration of DeepSpeed"),
            std::string::npos);
  EXPECT_NE(error_of([] { inputs_of(R"({"a": 1})"); }).find("first:1:1: error: this is no conf"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              inputs_of(config, {{"x.json", {}}});
            }).find("there is no such file"),
            std::string::npos);
}

TEST(DeepSpeedInputs, a_configuration_within_the_arguments_of_a_program_is_told) {
  EXPECT_NE(error_of([] {
              inputs_of(R"({"gradient_accumulation_steps": 16, "deepspeed": )" + config + "}");
            }).find("these are the arguments of a program"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
