#include "convert/megatron_bridge/program.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_bridge_program(const std::string& text,
                                  std::map<std::string, std::string> given = {{"NGPU", "64"}},
                                  std::string model = {}) {
  return megatron_bridge::import_program({.text = text,
                                          .file = "run.py",
                                          .given = std::move(given),
                                          .partial = false,
                                          .read = {},
                                          .further = {},
                                          .model = std::move(model)});
}

const std::string bridge_head =
    "from megatron.bridge.recipes.llama import llama3_70b_pretrain_config\nfrom "
    "megatron.bridge.training.pretrain import pretrain\nfrom megatron.bridge import AutoBridge\n";

// recipes/llama/h100/llama3.py: 4 x 4 x 2 devices a replica, 5 stages of a rank.
TEST(MegatronBridgeProgram, a_recipe_and_what_is_changed_of_it) {
  const job::Import import =
      import_bridge_program(bridge_head +
                            "cfg = llama3_70b_pretrain_config()\ncfg.train.global_batch_size = 64\n"
                            "cfg.model.context_parallel_size = 1\npretrain(cfg, forward_step)\n");
  const config::Value& e = import.experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "80");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "4");
  // 32000 tokens of its NullTokenizer, in multiples of 128 x 4.
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "32256");
  EXPECT_EQ(at(e, {"parallel", "pipeline"}), "4");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "5");
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"batch", "global"}), "64");
  EXPECT_EQ(at(e, {"batch", "micro"}), "1");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"gradients"}), "fp32");
}

TEST(MegatronBridgeProgram, number_formats_by_the_function_that_makes_them) {
  const auto precision = [](const std::string& made) {
    return at(import_bridge_program(bridge_head +
                                    "from megatron.bridge.training.mixed_precision import *\n"
                                    "cfg = llama3_70b_pretrain_config()\ncfg.mixed_precision = " +
                                    made + "\npretrain(config=cfg)\n")
                  .experiment,
              {"precision", "fp8"});
  };
  EXPECT_EQ(precision("get_mixed_precision_config(\"bf16_with_mxfp8_mixed\")"), "mxfp8");
  EXPECT_EQ(precision("bf16_with_fp8_subchannel_scaling_mixed()"), "blockwise");
  // Perf recipes take the current scaling without layers in bf16.
  EXPECT_EQ(precision("bf16_with_fp8_current_scaling_mixed()\n"
                      "cfg.mixed_precision.first_last_layers_bf16 = False"),
            "tensorwise");
}

TEST(MegatronBridgeProgram, a_model_of_hugging_face_is_known_or_given) {
  const auto text = [](const std::string& name) {
    return bridge_head +
           "def config():\n    cfg = _pretrain_common()\n    cfg.model = AutoBridge."
           "from_hf_pretrained(\"" +
           name +
           "\").to_megatron_provider(load_weights=False)\n    cfg.model.tensor_model_parallel_size "
           "= 2\n    cfg.dataset.seq_length = 4096\n    return cfg\n";
  };
  EXPECT_EQ(at(import_bridge_program(text("Qwen/Qwen3-8B"), {{"NGPU", "8"}}).experiment,
               {"model", "transformer", "hidden"}),
            "4096");
  EXPECT_EQ(
      error_of([&] { import_bridge_program(text("me/mine")); }),
      "run.py:6:17: error: the sizes of me/mine are at Hugging Face: give its config.json as a "
      "further FILE, or --model NAME of the catalogue");
  EXPECT_EQ(at(import_bridge_program(text("me/mine"), {{"NGPU", "8"}}, "llama-2-7b").experiment,
               {"model", "transformer", "layers"}),
            "32");
}

// src/megatron/bridge/training/flex_dispatcher_backend.py.
TEST(MegatronBridgeProgram, a_flexible_dispatcher_is_set_by_its_function) {
  const auto send = [](const std::string& backend) {
    return at(import_bridge_program(
                  bridge_head +
                      "cfg = _pretrain_common()\ncfg.model = AutoBridge.from_hf_pretrained(\"Qwen/"
                      "Qwen3-30B-A3B\").get_model_config()\ncfg.model.seq_length = 4096\ncfg.train."
                      "micro_batch_size = 1\ncfg.model.expert_model_parallel_size = 8\n"
                      "apply_flex_dispatcher_backend(cfg.model, " +
                      backend + ")\npretrain(config=cfg)\n",
                  {{"NGPU", "8"}})
                  .experiment,
              {"dispatch"});
  };
  EXPECT_EQ(send("\"deepep\""), "once-a-node");
  EXPECT_EQ(send("None"), "each-copy");  // as qwen3_moe_bridge.py has it
}

TEST(MegatronBridgeProgram, arguments_of_earlier_releases_are_refused) {
  EXPECT_NE(
      error_of([] {
        import_bridge_program(bridge_head +
                              "cfg = llama3_70b_pretrain_config(seq_length=4096)\npretrain(cfg)\n");
      }).find("arguments_of_earlier_releases"),
      std::string::npos);
}

// transformer_config.py: what no recipe sets is Megatron-Core's.
TEST(MegatronBridgeProgram, what_a_model_has_where_nobody_sets_it_is_known) {
  const std::string text = bridge_head +
                           "cfg = llama3_70b_pretrain_config()\nif hasattr(cfg.model, "
                           "'use_transformer_engine_op_fuser') "
                           "and cfg.model.use_transformer_engine_op_fuser:\n    "
                           "cfg.model.tensor_model_parallel_size = 1\n"
                           "if getattr(cfg.model, 'cuda_graph_impl', None) == 'none':\n    "
                           "cfg.train.micro_batch_size = 2\n"
                           "pretrain(cfg)\n";
  const config::Value e = import_bridge_program(text).experiment;
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "4");
  EXPECT_EQ(at(e, {"batch", "micro"}), "2");
}

// utils/cuda_graph.py: without modules a graph is a whole layer.
TEST(MegatronBridgeProgram, modules_of_graphs_are_cleared) {
  const std::string text =
      bridge_head +
      "from megatron.bridge.utils.cuda_graph import clear_cuda_graph_modules\n"
      "cfg = llama3_70b_pretrain_config()\ncfg.model.cuda_graph_impl = 'transformer_engine'\n"
      "cfg.model.cuda_graph_modules = "
      "['attn']\nclear_cuda_graph_modules(cfg.model)\npretrain(cfg)\n";
  const config::Value e = import_bridge_program(text).experiment;
  const config::Value& graphs = *e.find("launches")->find("graphs");
  ASSERT_EQ(graphs.items.size(), 1U);
  EXPECT_EQ(graphs.items[0].text, "layer");
}

// utils/cuda_graph.py, _supports_cuda_graph_modules: Megatron-Core's configuration has the field.
TEST(MegatronBridgeProgram, the_modules_of_graphs_are_a_field) {
  const std::string text =
      bridge_head +
      "def supports(config):\n    return hasattr(config, 'cuda_graph_modules')\n"
      "cfg = llama3_70b_pretrain_config()\nif supports(cfg.model):\n    "
      "cfg.train.micro_batch_size = 2\npretrain(cfg)\n";
  EXPECT_EQ(at(import_bridge_program(text).experiment, {"batch", "micro"}), "2");
}

}  // namespace
}  // namespace pipewright::test
