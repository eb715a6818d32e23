#include "convert/megatron_bridge/recipe.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

job::Import import_recipe(const std::string& text, const std::string& model = "llama-2-7b",
                          std::vector<job::Further> further = {}) {
  return megatron_bridge::import_recipe({.text = text,
                                         .file = "r.yaml",
                                         .given = {{"NGPU", "16"}},
                                         .partial = false,
                                         .read = {},
                                         .further = std::move(further),
                                         .model = model});
}

const std::string overrides =
    "model: {tensor_model_parallel_size: 2, seq_length: 2048}\n"
    "train: {micro_batch_size: 1, train_iters: 10}\n";

// 16 devices / 2; a batch of 32 sequences is that of all recipes.
TEST(MegatronBridge, overrides_stand_over_what_recipes_have_in_common) {
  const job::Import import = import_recipe(overrides);
  const config::Value& e = import.experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "8");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"batch", "global"}), "32");
  EXPECT_EQ(at(e, {"batch", "sequence"}), "2048");
  EXPECT_EQ(at(e, {"overlap", "data"}), "true");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"gradients"}), "fp32");
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "32");
  EXPECT_EQ(at(e, {"training", "tokens"}), "655360");
  EXPECT_EQ(import.assumed.size(), 2U);  // the cluster is the other one
}

TEST(MegatronBridge, a_whole_configuration_says_all) {
  const config::Value e = import_recipe(
                              "_target_: megatron.bridge.training.config.ConfigContainer\n"
                              "model: {num_layers: 4, hidden_size: 256, num_attention_heads: 8, "
                              "num_query_groups: 2, vocab_size: 1000, gated_linear_unit: true, "
                              "hidden_dropout: 0.0, attention_dropout: 0.0, "
                              "share_embeddings_and_output_weights: false}\n"
                              "dataset: {seq_length: 512}\n"
                              "train: {micro_batch_size: 1, global_batch_size: 32}\n"
                              "ddp: {overlap_grad_reduce: false, grad_reduce_in_fp32: true}\n"
                              "mixed_precision: {bf16: true, grad_reduce_in_fp32: false}\n",
                              "")
                              .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "2");
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "1000");
  EXPECT_EQ(at(e, {"model", "transformer", "tied_embeddings"}), "false");
  EXPECT_EQ(at(e, {"model", "transformer", "dropout"}), "false");
  EXPECT_EQ(at(e, {"batch", "sequence"}), "512");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "0");
  EXPECT_EQ(at(e, {"gradients"}), "bf16");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
}

// mixed_precision.py, setup(): its fields stand over those of ddp; fp16_mixed reduces in fp16.
TEST(MegatronBridge, the_precision_says_how_gradients_are_reduced) {
  const auto gradients = [](const std::string& more) {
    return at(import_recipe(overrides + more).experiment, {"gradients"});
  };
  EXPECT_EQ(gradients("ddp: {grad_reduce_in_fp32: false}\n"), "fp32");
  EXPECT_EQ(gradients("mixed_precision: {bf16: true, grad_reduce_in_fp32: false}\n"), "bf16");
  EXPECT_EQ(gradients("mixed_precision: fp16_mixed\n"), "fp16");
  EXPECT_EQ(gradients("mixed_precision: {fp16: true}\n"), "fp32");
}

TEST(MegatronBridge, fp8_scales_by_tensors_where_nobody_says) {
  const auto scaling = [](const std::string& more) {
    const job::Import import =
        import_recipe(overrides + "mixed_precision: {bf16: true, fp8: hybrid" + more + "}\n");
    return at(import.experiment, {"precision", "fp8"});
  };
  EXPECT_EQ(scaling(""), "tensorwise");
  EXPECT_EQ(scaling(", fp8_recipe: blockwise"), "blockwise");
}

TEST(MegatronBridge, groups_that_matter_are_read) {
  const config::Value e =
      import_recipe(overrides + "dist: {use_megatron_fsdp: true, use_tp_pp_dp_mapping: true}\n")
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "zero"}), "3");
  EXPECT_EQ(at(e, {"placement"}), "tp-cp-ep-pp-dp");
}

TEST(MegatronBridge, words_change_the_recipe) {
  const config::Value e = import_recipe(overrides, "llama-2-7b",
                                        {{"mixed_precision=bf16_with_fp8_delayed_scaling_mixed"},
                                         {"model.num_layers=8"}})
                              .experiment;
  EXPECT_EQ(at(e, {"precision"}), "fp8");
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "8");
}

TEST(MegatronBridge, only_what_was_taken_from_recipes_is_called_assumed) {
  const job::Import import = import_recipe(
      "model: {seq_length: 2048}\ntrain: {micro_batch_size: 1, train_iters: 10}\n"
      "ddp: {use_distributed_optimizer: false, overlap_grad_reduce: false}\n",
      "llama-2-7b", {{"train.global_batch_size=64"}});
  EXPECT_EQ(import.assumed.back(),
            "what the recipe in Python says beside this file is what recipes have in common: "
            "ddp.grad_reduce_in_fp32: true, ddp.overlap_param_gather: true, mixed_precision: "
            "bf16_mixed, tokenizer.use_tokenizer_vocab_size: true");
}

TEST(MegatronBridge, a_class_of_a_model_decides_what_is_not_said) {
  const std::string job =
      "model: {_target_: megatron.bridge.models.llama.llama_provider.Llama3ModelProvider8B, "
      "tensor_model_parallel_size: 2, seq_length: 2048, num_layers: 32, "
      "vocab_size: 1000}\n";
  EXPECT_NE(error_of([&] { import_recipe(job, ""); })
                .find("r.yaml:1:19: error: model._target_: Llama3ModelProvider8B cannot be said: "
                      "its class in Python decides norms"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              import_recipe("optimizer: {_target_: a.b.Muon}\nmodel: {seq_length: 8}\n");
            }).find("optimizer._target_: Muon cannot be said"),
            std::string::npos);
}

TEST(MegatronBridge, what_cannot_be_said_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { import_recipe(overrides, ""); }),
            "r.yaml:1:1: error: nothing here says the model: give its Hugging Face config.json as "
            "a further FILE, or --model NAME of the catalogue");
  EXPECT_EQ(error_of([] { import_recipe("model: {seq_length: 8, hidden_size: 5}\n"); }),
            "r.yaml:1:37: error: model.hidden_size: 5 cannot be said: the model is given beside "
            "the job; --partial goes on without it, and says so in the experiment");
  EXPECT_NE(error_of([] {
              import_recipe(overrides + "ddp: {shards: 3}\n");
            }).find("'ddp.shards' is no key of Megatron Bridge that is known"),
            std::string::npos);
  EXPECT_NE(error_of([] { import_recipe("a: 1\n"); }).find("r.yaml:1:1: error: no 'model'"),
            std::string::npos);
}

// comm_overlap.py, setup(): with the section two chunks of a rank overlap sends, gradients and
// weights overlap in buckets of 128 Mi parameters, whatever 'model' and 'ddp' say. Without it
// ModelParallelConfig.overlap_p2p_comm is false.
TEST(MegatronBridge, comm_overlap_decides_what_it_leaves_open) {
  const std::string interleaved =
      "model: {pipeline_model_parallel_size: 2, virtual_pipeline_model_parallel_size: 2, "
      "seq_length: 2048, overlap_p2p_comm: false}\n"
      "train: {micro_batch_size: 1}\n"
      "ddp: {overlap_grad_reduce: false, use_distributed_optimizer: true}\n";
  const config::Value with =
      import_recipe(interleaved + "comm_overlap: {tp_comm_overlap: null}\n").experiment;
  EXPECT_EQ(at(with, {"overlap", "p2p"}), "async");
  EXPECT_EQ(at(with, {"overlap", "data"}), "true");
  EXPECT_EQ(at(with, {"data", "bucket"}), "536870912 B");
  const config::Value without = import_recipe(interleaved).experiment;
  EXPECT_EQ(at(without, {"overlap", "p2p"}), "rendezvous");
  EXPECT_EQ(at(without, {"overlap", "data"}), "false");
  const config::Value said =
      import_recipe(interleaved +
                    "comm_overlap: {overlap_p2p_comm: false, overlap_grad_reduce: false}\n")
          .experiment;
  EXPECT_EQ(at(said, {"overlap", "p2p"}), "rendezvous");
  EXPECT_EQ(at(said, {"overlap", "data"}), "false");
}

// What a configuration's to_yaml writes of functions and numbers of an enumeration.
TEST(MegatronBridge, functions_are_no_settings) {
  const config::Value e =
      import_recipe(
          "model: {tensor_model_parallel_size: 2, seq_length: 2048, activation_func: {_call_: "
          "false, "
          "_target_: torch.nn.functional.silu}, embedding_init_method: {_target_: f, std: 0.02}, "
          "autocast_dtype: {_call_: false, _target_: torch.bfloat16}, mtp_enabled: false, "
          "attention_backend: {_target_: megatron.core.transformer.enums.AttnBackend, _call_: "
          "true, "
          "_args_: [3]}}\ntrain: {micro_batch_size: 1, train_iters: 10}\n")
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "8");
  EXPECT_EQ(at(e, {"attention"}), "unfused");
}

// gpt_provider.py, cross_entropy_loss_fusion: true.
TEST(MegatronBridge, the_loss_is_fused_where_nobody_says_otherwise) {
  const auto loss = [](const std::string& more) {
    const config::Value e =
        import_recipe("model: {seq_length: 512, " + more + "}\n", "llama-3-8b").experiment;
    return e.find("loss") ? at(e, {"loss"}) : "";
  };
  EXPECT_EQ(loss("cross_entropy_fusion_impl: te"), "fused");
  EXPECT_EQ(loss("cross_entropy_fusion_impl: te, cross_entropy_loss_fusion: false"), "");
  EXPECT_EQ(loss("cross_entropy_fusion_impl: native"), "");
}

}  // namespace
}  // namespace pipewright::test
