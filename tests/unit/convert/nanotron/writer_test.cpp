#include "convert/nanotron/writer.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "../megatron/lines_of.hpp"

namespace pipewright::test {
namespace {

// 16 sequences over 2 replicas in micro-batches of 1 are 8 for each.
TEST(NanotronWriter, every_size_stands_in_the_configuration) {
  const config::Value config = config::parse(
      nanotron::write_config(
          experiment_of(small_experiment + "precision: fp16\nrecompute: full\noptimizer: sgd\n")),
      "c.yaml");
  EXPECT_EQ(at(config, {"model", "dtype"}), "float16");
  EXPECT_EQ(at(config, {"model", "model_config", "num_hidden_layers"}), "6");
  EXPECT_EQ(at(config, {"parallelism", "dp"}), "2");
  EXPECT_EQ(at(config, {"parallelism", "pp_engine"}), "1f1b");
  EXPECT_EQ(at(config, {"parallelism", "recompute_layer"}), "true");
  EXPECT_EQ(at(config, {"tokens", "batch_accumulation_per_replica"}), "8");
  EXPECT_EQ(at(config, {"optimizer", "zero_stage"}), "1");
  EXPECT_EQ(at(config, {"optimizer", "optimizer_factory", "name"}), "sgd");
}

}  // namespace
}  // namespace pipewright::test
