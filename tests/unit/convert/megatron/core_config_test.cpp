#include "convert/megatron/core_config.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "flags_of.hpp"
#include "lines_of.hpp"

namespace pipewright::test {
namespace {

using megatron::core_config;
using megatron::CoreConfig;

CoreConfig core_of(const std::string& more) {
  return core_config(experiment_of(small_experiment + more));
}

// Fields of transformer_config.py that arguments.py calls otherwise.
TEST(CoreConfig, fields_are_called_as_megatron_core_has_them) {
  const CoreConfig core = core_config(experiment_of(on_blackwell() + "precision: {fp8: mxfp8}\n"));
  EXPECT_EQ(at(core.model, {"gated_linear_unit"}), "true");
  EXPECT_EQ(at(core.model, {"swiglu"}), "none");
  EXPECT_EQ(at(core.parallel, {"tensor_model_parallel_size"}), "2");
  EXPECT_EQ(at(core.precision, {"fp8"}), "e4m3");
  EXPECT_EQ(at(core.precision, {"bf16"}), "true");
  EXPECT_EQ(at(core.batch, {"micro_batch_size"}), "1");
  EXPECT_TRUE(core.groups.is_null());
}

TEST(CoreConfig, lists_are_lists) {
  const config::Value experiment = core_config(experiment_of(R"(
model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024, bias: false, window: 64,
                      experts: {count: 8, active: 2, ffn: 128}, feeds: [experts, dense]}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {tensor: 2, sequence: true}
batch: {global: 16, micro: 1, sequence: 128}
schedule: 1f1b
recompute: {ops: [attention, mlp]}
)"))
                                       .model;
  const auto items = [&](const char* key) {
    std::vector<std::string> texts;
    for (const config::Value& item : experiment.find(key)->items) texts.push_back(item.text);
    return texts;
  };
  EXPECT_EQ(items("window_size"), (std::vector<std::string>{"63", "0"}));
  EXPECT_EQ(items("moe_layer_freq"), (std::vector<std::string>{"1", "0", "1", "0"}));
  EXPECT_EQ(items("recompute_modules"), (std::vector<std::string>{"core_attn", "moe"}));
}

// Arguments that transformer_config.py makes of its fields, and those that it calls otherwise.
TEST(CoreConfig, arguments_of_the_model_are_fields) {
  const auto model = [](const std::string& constants) {
    return experiment_of(
        "model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024, positions: "
        "rope},\n        constants: {" +
        constants +
        "}}\ncluster: {node: dgx-h100, nodes: 1}\n"
        "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n");
  };
  const Experiment said = model(
      "rope_scaling: {rope_type: linear, factor: 4}, megatron_arguments: "
      "\"--apply-layernorm-1p --softmax-type learnable\"");
  const config::Value fields = core_config(said).model;
  EXPECT_EQ(at(fields, {"layernorm_zero_centered_gamma"}), "true");
  EXPECT_EQ(at(fields, {"softmax_type"}), "learnable");
  EXPECT_EQ(at(fields, {"seq_len_interpolation_factor"}), "4");
  const auto says_all = [](const Experiment& e) {
    return std::ranges::all_of(job::model_constants(e), [&](const ModelConstant& constant) {
      return megatron::core_says_constant(e, constant);
    });
  };
  EXPECT_TRUE(says_all(said));
  EXPECT_FALSE(says_all(model("megatron_arguments: \"--openai-gelu\"")));
}

// optimizer_config.py has moments in number formats of PyTorch.
TEST(CoreConfig, moments_are_fields_of_the_optimizer) {
  const CoreConfig core = core_of("moments: bf16\nmaster_weights: remainders\n");
  EXPECT_EQ(at(core.optimizer, {"use_precision_aware_optimizer"}), "true");
  EXPECT_EQ(at(core.optimizer, {"exp_avg_dtype", "_target_"}), "torch.bfloat16");
  EXPECT_EQ(at(core.model, {"exp_avg_dtype"}), "none");
}

TEST(CoreConfig, weights_are_gathered_where_the_optimizer_is_cut) {
  EXPECT_EQ(at(core_of("").ddp, {"overlap_param_gather"}), "false");
  EXPECT_EQ(at(core_of("overlap: {weights: true}\n").ddp, {"overlap_param_gather"}), "true");
  EXPECT_EQ(at(core_of("").optimizer, {"use_distributed_optimizer"}), "true");
}

TEST(CoreConfig, only_interleaved_stages_send_at_once) {
  EXPECT_EQ(at(core_of("").overlap, {"overlap_p2p_comm"}), "false");
  const CoreConfig core = core_config(experiment_of(R"(
model: {transformer: {layers: 8, hidden: 256, heads: 4, vocabulary: 1024}}
cluster: {node: dgx-h100, nodes: 1, fabric: {kind: fat-tree, link: ndr, nics: 8}}
parallel: {pipeline: 2, virtual: 2}
batch: {global: 16, micro: 1, sequence: 128}
schedule: interleaved-1f1b
partition: [1, 3, 3, 1]
)"));
  EXPECT_EQ(at(core.parallel, {"virtual_pipeline_model_parallel_size"}), "2");
  EXPECT_EQ(at(core.overlap, {"overlap_p2p_comm"}), "true");
}

TEST(CoreConfig, number_formats_are_pytorchs) {
  EXPECT_EQ(at(megatron::torch_type(core_of("precision: fp16\n").precision), {"_target_"}),
            "torch.float16");
}

TEST(CoreConfig, layers_with_a_window_are_a_list) {
  const config::Value model =
      core_config(
          experiment_of(
              "model: {transformer: {layers: 4, hidden: 256, heads: 4, vocabulary: 1024, window: "
              "64, mixers: [sliding, full]}}\n"
              "cluster: {node: dgx-h100, nodes: 1}\nparallel: {data: 8}\n"
              "batch: {global: 16, micro: 1, sequence: 128}\nschedule: 1f1b\n"))
          .model;
  std::string layers;
  for (const config::Value& item : model.find("window_attn_skip_freq")->items) layers += item.text;
  EXPECT_EQ(layers, "1010");
}

}  // namespace
}  // namespace pipewright::test
