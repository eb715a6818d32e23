#include "convert/primus/config_file.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

const std::string preset =
    "num_layers: 8\nhidden_size: 512\nnum_attention_heads: 8\ntokenizer_type: GPT2BPETokenizer\n"
    "swiglu: true\nnum_query_groups: 4\ngroup_query_attention: true\n";

job::Import import_primus(const std::string& overrides, std::vector<job::Further> more = {},
                          std::map<std::string, std::string> given = {{"NGPU", "16"}}) {
  const std::string text =
      "exp_name: e\nmodules:\n  pre_trainer:\n    "
      "framework: megatron\n    config: "
      "pre_trainer.yaml\n"
      "    model: small.yaml\n    overrides: {" +
      overrides + "}\nplatform: {config: platform_azure.yaml}\n";
  job::Source source{.text = text,
                     .file = "exp.yaml",
                     .given = std::move(given),
                     .partial = false,
                     .read = {},
                     .further = std::move(more)};
  if (source.further.empty() || source.further[0].word != "none")
    source.further.push_back({"small.yaml", preset});
  else
    source.further.clear();
  return primus::import_config(source);
}

// 16 devices / (tensor 2 x pipeline 2); Primus's own defaults are bf16 and the distributed
// optimizer.
TEST(Primus, overrides_stand_over_presets) {
  const config::Value e = import_primus(
                              "tensor_model_parallel_size: 2, pipeline_model_parallel_size: 2, "
                              "virtual_pipeline_model_parallel_size: 2, global_batch_size: 32, "
                              "micro_batch_size: 1, seq_length: 4096",
                              {{"global_batch_size=64"}})
                              .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "8");
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "4");
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"batch", "global"}), "64");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"framework"}), "megatron");
}

// patches/turbo/moe_dispatcher_patches.py: the dispatcher becomes DeepEP, whatever its type is; the
// patch needs enable_primus_turbo.
TEST(Primus, a_patched_dispatcher_is_deep_ep) {
  const std::string experts =
      "num_experts: 8, moe_router_topk: 2, expert_model_parallel_size: 8, global_batch_size: 32, "
      "expert_tensor_parallel_size: 1, moe_token_dispatcher_type: alltoall, "
      "use_turbo_deepep: true";
  EXPECT_EQ(at(import_primus(experts + ", enable_primus_turbo: true").experiment, {"dispatch"}),
            "once-a-node");
  EXPECT_EQ(at(import_primus(experts).experiment, {"dispatch"}), "each-copy");
}

TEST(Primus, what_cannot_be_said_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { import_primus("enable_odc: true"); }),
            "exp.yaml:7:29: error: enable_odc: true cannot be said: gradients that are sent by "
            "themselves are not modelled; --partial goes on without it, and says so in the "
            "experiment");
  EXPECT_NE(error_of([] { import_primus("hidden: 3"); }).find("'hidden' is no key of Primus"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_primus("micro_batch_size: no", {});
            }).find("exp.yaml:7:35: error: micro_batch_size needs a whole number"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_primus("", {{"none", ""}});
            }).find("exp.yaml:6:12: error: 'small.yaml' is packaged with Primus"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
