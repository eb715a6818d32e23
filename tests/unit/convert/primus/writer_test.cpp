#include "convert/primus/writer.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "../megatron/lines_of.hpp"

namespace pipewright::test {
namespace {

config::Value overrides_of(const std::string& more,
                           const std::string& experiment = small_experiment) {
  const config::Value config =
      config::parse(primus::write_config(experiment_of(experiment + more)), "e.yaml");
  return *config.find("modules")->find("pre_trainer")->find("overrides");
}

TEST(PrimusWriter, overrides_are_called_as_argparse_stores_arguments) {
  const config::Value overrides =
      overrides_of("precision: {fp8: mxfp8}\npartition: [1, 2, 2, 1]\n", on_blackwell());
  EXPECT_EQ(at(overrides, {"fp8"}), "e4m3");
  EXPECT_EQ(at(overrides, {"fp8_recipe"}), "mxfp8");
  EXPECT_EQ(at(overrides, {"num_layers"}), "6");
  EXPECT_EQ(at(overrides, {"pipeline_model_parallel_layout"}), "Et*1|t*2|t*2|t*1L");
  EXPECT_EQ(at(overrides, {"use_distributed_optimizer"}), "true");
}

TEST(PrimusWriter, what_the_presets_set_is_said_where_it_does_not_hold) {
  const config::Value overrides = overrides_of("precision: fp32\n");
  EXPECT_EQ(at(overrides, {"bf16"}), "false");
  EXPECT_EQ(at(overrides, {"sequence_parallel"}), "false");
  EXPECT_EQ(at(overrides, {"add_bias_linear"}), "true");
}

}  // namespace
}  // namespace pipewright::test
