#include "convert/nemo/config_writer.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "../megatron/lines_of.hpp"
#include "convert/nemo/config_file.hpp"

namespace pipewright::test {
namespace {

/// Eight layers, which four stages share.
Experiment eight_layers() {
  std::string yaml = small_experiment;
  return experiment_of(yaml.replace(yaml.find("layers: 6"), 9, "layers: 8"));
}

config::Value read_again(const std::string& text) {
  const job::Source source{
      .text = text, .file = "c.yaml", .given = {}, .partial = false, .read = {}};
  return nemo::import_config(source).experiment;
}

TEST(NemoConfigWriter, a_configuration_says_the_job) {
  const std::string text = nemo::write_config(eight_layers(), {});
  const config::Value e = read_again(text);
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "pipeline"}), "4");
  EXPECT_EQ(at(e, {"parallel", "data"}), "2");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"batch", "global"}), "16");
  EXPECT_EQ(at(e, {"model", "transformer", "gated"}), "true");
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "1024");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
}

// What the job said beside its experiment stays, and what it says itself holds.
TEST(NemoConfigWriter, data_and_rates_stay) {
  const config::Value along =
      config::parse("{exp_manager: {name: x}, model: {num_layers: 3, optim: {lr: 0.1}}}", "a.yaml");
  const config::Value config = config::parse(nemo::write_config(eight_layers(), along), "c.yaml");
  EXPECT_EQ(at(config, {"exp_manager", "name"}), "x");
  EXPECT_EQ(at(config, {"model", "optim", "lr"}), "0.1");
  EXPECT_EQ(at(config, {"model", "optim", "name"}), "distributed_fused_adam");
  EXPECT_EQ(at(config, {"model", "num_layers"}), "8");
}

}  // namespace
}  // namespace pipewright::test
