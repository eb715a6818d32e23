#include "convert/accelerate/sharding.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

/// What becomes of `parallel` under FSDP with these keys, over 16 devices on 2 machines.
config::Value parallel_of(const std::string& text) {
  const job::Source source{
      .text = text, .file = "a.yaml", .given = {}, .partial = false, .read = {}};
  job::Import import;
  job::Settings settings(config::parse(text, "a.yaml"), source, import);
  accelerate::Devices devices{.all = 16, .machines = 2};
  accelerate::read_degrees(settings, devices);
  accelerate::write_sharding(settings, "FSDP", devices, "bf16");
  return *import.experiment.find("parallel");
}

std::string strategy(const std::string& name) {
  return "{fsdp_config: {fsdp_sharding_strategy: " + name + "}}";
}

TEST(AccelerateSharding, strategies_are_known_by_name_and_number) {
  for (const char* name : {"FULL_SHARD", "1"}) {
    EXPECT_EQ(at(parallel_of(strategy(name)), {"zero"}), "3");
    EXPECT_FALSE(parallel_of(strategy(name)).find("reshard"));
  }
  EXPECT_EQ(at(parallel_of(strategy("SHARD_GRAD_OP")), {"reshard"}), "false");
  EXPECT_EQ(at(parallel_of(strategy("NO_SHARD")), {"zero"}), "0");
  EXPECT_EQ(at(parallel_of(strategy("HYBRID_SHARD_ZERO2")), {"shard"}), "8");
  EXPECT_EQ(at(parallel_of(strategy("HYBRID_SHARD_ZERO2")), {"reshard"}), "false");
}

TEST(AccelerateSharding, the_second_version_says_a_truth) {
  EXPECT_EQ(at(parallel_of("{fsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: false}}"),
               {"reshard"}),
            "false");
}

// The mesh dp_shard_cp: ranks that share a sequence hold parts of the same weights.
TEST(AccelerateSharding, ranks_of_a_sequence_share_weights) {
  const config::Value all = parallel_of("{parallelism_config: {parallelism_config_cp_size: 16}}");
  EXPECT_EQ(at(all, {"zero"}), "3");
  EXPECT_EQ(at(all, {"data"}), "1");
  const config::Value two = parallel_of(
      "{parallelism_config: {parallelism_config_cp_size: 4, parallelism_config_dp_shard_size: 2, "
      "parallelism_config_dp_replicate_size: 2}}");
  EXPECT_EQ(at(two, {"shard"}), "8");
}

TEST(AccelerateSharding, copies_and_shards_are_all_replicas) {
  EXPECT_EQ(at(parallel_of("{parallelism_config: {parallelism_config_dp_replicate_size: 2, "
                           "parallelism_config_dp_shard_size: 4, parallelism_config_tp_size: 2}}"),
               {"shard"}),
            "4");
  EXPECT_NE(error_of([] {
              parallel_of(
                  "{parallelism_config: {parallelism_config_dp_replicate_size: 2, "
                  "parallelism_config_dp_shard_size: 4}}");
            }).find("4 shards x 2 copies are not the 16 replicas"),
            std::string::npos);
}

/// All that becomes of a job of the plugin of Megatron-LM.
job::Import megatron_of(const std::string& keys) {
  const std::string text = "{distributed_type: MEGATRON_LM, megatron_lm_config: {" + keys + "}}";
  const job::Source source{.text = text, .file = "a.yaml", .given = {}};
  job::Import import;
  job::Settings settings(config::parse(text, "a.yaml"), source, import);
  accelerate::Devices devices{.all = 16, .machines = 2};
  accelerate::read_degrees(settings, devices);
  accelerate::write_sharding(settings, "MEGATRON_LM", devices, "bf16");
  import.experiment.set("groups", config::number(devices.context));
  return import;
}

// MegatronLMPlugin of utils/dataclasses.py: before 1.13 recompute_activations runs attention again;
// since then recompute_granularity is full and there are two context groups unless a file says it.
TEST(AccelerateSharding, keys_tell_the_version_of_the_plugin) {
  const config::Value old = megatron_of("megatron_lm_recompute_activations: true").experiment;
  EXPECT_EQ(at(old, {"recompute"}), "selective");
  EXPECT_EQ(at(old, {"groups"}), "1");
  EXPECT_FALSE(megatron_of("megatron_lm_tp_degree: 2").experiment.find("recompute"));
  const std::string late = "megatron_lm_expert_model_parallel_size: 1";
  EXPECT_EQ(at(megatron_of(late).experiment, {"recompute"}), "full");
  EXPECT_EQ(at(megatron_of(late).experiment, {"groups"}), "2");
  EXPECT_EQ(at(megatron_of("megatron_lm_recompute_granularity: selective, "
                           "megatron_lm_context_parallel_size: 1")
                   .experiment,
               {"recompute"}),
            "selective");
}

}  // namespace
}  // namespace pipewright::test
