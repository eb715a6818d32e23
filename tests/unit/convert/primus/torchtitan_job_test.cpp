#include "convert/primus/torchtitan_job.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "convert/primus/config_file.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_torchtitan(const std::string& overrides, const std::string& converters = "",
                              const std::string& flavor = "name: llama3, flavor: 8B") {
  const std::string text =
      "exp_name: e\nmodules:\n  pre_trainer:\n    framework: torchtitan\n"
      "    config: pre_trainer.yaml\n    model: small.yaml\n    overrides: {" +
      overrides + "}\n";
  return primus::import_config(
      {.text = text,
       .file = "exp.yaml",
       .given = {{"NGPU", "16"}},
       .further = {{"small.yaml", "model: {" + flavor + ", converters: [" + converters + "]}\n"}}});
}

// The preset of the trainer compiles and keeps all activations, which torchtitan by itself does
// not.
TEST(PrimusTorchtitan, the_preset_stands_below_the_overrides) {
  const config::Value e = import_torchtitan(
                              "training: {local_batch_size: 4, seq_len: 8192, seed: null}, "
                              "parallelism: {tensor_parallel_degree: 2}")
                              .experiment;
  EXPECT_EQ(at(e, {"framework"}), "torchtitan");
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "32");
  EXPECT_EQ(at(e, {"parallel", "data"}), "8");
  EXPECT_EQ(at(e, {"batch", "global"}), "32");
  EXPECT_EQ(at(e, {"kernels"}), "fused");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_FALSE(e.find("recompute"));
  EXPECT_EQ(at(e, {"training", "tokens"}), "2621440000");  // 10,000 steps x 32 x 8192
}

TEST(PrimusTorchtitan, converters_say_the_precision) {
  const std::string linear = "primus_turbo, quantize.linear.float8";
  EXPECT_EQ(at(import_torchtitan("", linear).experiment, {"precision", "fp8"}), "tensorwise");
  const std::string grouped = linear + ", quantize.grouped_mm.float8";
  const std::string turbo = "primus_turbo: {use_turbo_grouped_mm: true, use_moe_fp8: true}";
  const std::string experts = "name: deepseek_v3, flavor: 16B";
  for (const auto& [overrides, converters] : {std::pair(std::string(), grouped), {turbo, linear}})
    EXPECT_NE(
        error_of([&] { import_torchtitan(overrides, converters, experts); }).find("experts in fp8"),
        std::string::npos);
  // A model without experts has no grouped products.
  EXPECT_EQ(at(import_torchtitan(turbo, grouped).experiment, {"precision", "fp8"}), "tensorwise");
  EXPECT_NE(error_of([] {
              import_torchtitan("primus_turbo: {enable_attention_float8: true}");
            }).find("attention in fp8"),
            std::string::npos);
}

// primus/backends/torchtitan/patches/model_override_patches.py
TEST(PrimusTorchtitan, a_job_may_change_the_layers_of_a_flavor) {
  const config::Value e = import_torchtitan("model: {n_layers: 4}").experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "4");
  EXPECT_EQ(at(e, {"model", "transformer", "hidden"}), "4096");
}

}  // namespace
}  // namespace pipewright::test
