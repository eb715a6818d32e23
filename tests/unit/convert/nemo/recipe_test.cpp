#include "convert/nemo/recipe.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"
#include "convert/nemo/config_file.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

// The form that NeMo-Run writes: a call of pretrain, and the classes that it is given.
const std::string start = R"(
_partial_: true
_target_: nemo.collections.llm.api.pretrain
data:
  _target_: nemo.collections.llm.gpt.data.mock.MockDataModule
  global_batch_size: 128
  micro_batch_size: 1
  seq_length: 8192
optim:
  _target_: nemo.lightning.pytorch.optim.megatron.MegatronOptimizerModule
  config:
    _target_: megatron.core.optimizer.optimizer_config.OptimizerConfig
    bf16: true
    lr: 0.0003
    optimizer: adam
    use_distributed_optimizer: true
)";
const std::string model = R"(
model:
  _target_: nemo.collections.llm.gpt.model.llama.LlamaModel
  config: {_target_: nemo.collections.llm.gpt.model.llama.Llama3Config8B, seq_length: 8192}
)";

struct Trainer {
  std::string strategy, callbacks, plugins = "grad_reduce_in_fp32: false";

  std::string text() const {
    return "trainer:\n  devices: 8\n  num_nodes: 4\n"
           "  callbacks: [{_target_: nemo.utils.exp_manager.TimingCallback}" +
           callbacks +
           "]\n  plugins: {precision: bf16-mixed, autocast_enabled: false, params_dtype: {_call_: "
           "false, _target_: torch.bfloat16}, " +
           plugins +
           "}\n  strategy: {_target_: "
           "nemo.lightning.pytorch.strategies.megatron_strategy.MegatronStrategy, "
           "ckpt_async_save: true, " +
           strategy + "}\n";
  }
};

job::Import import_text(const std::string& text, const std::string& named = {}) {
  job::Source source{.text = text, .file = "r.yaml", .given = {}, .partial = false, .read = {}};
  source.model = named;
  return nemo::import_config(source);
}

job::Import import_recipe(const Trainer& trainer) {
  return import_text(start + model + trainer.text());
}

constexpr const char* callback =
    ", {_target_: nemo.lightning.pytorch.callbacks.megatron_comm_overlap."
    "MegatronCommOverlapCallback, tp_comm_overlap: true}";

// 32 devices / (2 x 4 x 2) are 2 replicas.
TEST(NemoRecipe, is_an_experiment) {
  const job::Import import =
      import_recipe({.strategy = "tensor_model_parallel_size: 2, pipeline_model_parallel_size: 4, "
                                 "context_parallel_size: 2, sequence_parallel: true"});
  const config::Value& e = import.experiment;
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  EXPECT_EQ(at(e, {"parallel", "pipeline"}), "4");
  EXPECT_EQ(at(e, {"parallel", "context"}), "2");
  EXPECT_EQ(at(e, {"parallel", "data"}), "2");
  EXPECT_EQ(at(e, {"parallel", "sequence"}), "true");
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"batch", "global"}), "128");
  EXPECT_EQ(at(e, {"batch", "sequence"}), "8192");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"gradients"}), "bf16");
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "32");
  EXPECT_EQ(at(e, {"model", "transformer", "hidden"}), "4096");
}

// Without the callback nothing hides; with it what MegatronCommOverlapCallback turns on does.
TEST(NemoRecipe, the_callback_hides_communication) {
  const std::string strategy =
      "tensor_model_parallel_size: 2, pipeline_model_parallel_size: 4, "
      "virtual_pipeline_model_parallel_size: 2, sequence_parallel: true";
  const config::Value plain = import_recipe({.strategy = strategy}).experiment;
  EXPECT_NE(at(plain, {"overlap", "data"}), "true");
  EXPECT_EQ(at(plain, {"overlap", "p2p"}), "rendezvous");
  const config::Value hidden =
      import_recipe({.strategy = strategy, .callbacks = callback}).experiment;
  EXPECT_EQ(at(hidden, {"overlap", "data"}), "true");
  EXPECT_EQ(at(hidden, {"overlap", "p2p"}), "async");
  EXPECT_NE(at(hidden, {"overlap", "tensor"}), at(plain, {"overlap", "tensor"}));
}

TEST(NemoRecipe, fp8_is_the_plugins) {
  const config::Value e = import_recipe({.strategy = "tensor_model_parallel_size: 1",
                                         .plugins = "fp8: hybrid, fp8_recipe: tensorwise"})
                              .experiment;
  EXPECT_EQ(at(e, {"precision", "fp8"}), "tensorwise");
  EXPECT_NE(at(e, {"gradients"}), "bf16");  // summed in fp32 where nobody says
}

TEST(NemoRecipe, a_class_that_is_not_known_needs_a_model) {
  const std::string mine = start + "model: {_target_: a.M, config: {_target_: a.MyConfig}}\n" +
                           Trainer{.strategy = "tensor_model_parallel_size: 1"}.text();
  EXPECT_NE(error_of([&] { import_text(mine); }).find("the sizes of MyConfig are in Python"),
            std::string::npos);
  EXPECT_EQ(at(import_text(mine, "llama-2-7b").experiment, {"model", "transformer", "layers"}),
            "32");
}

// base.py: a GPTConfig is a TransformerConfig, and a vocab_size that it says is not padded.
TEST(NemoRecipe, a_plain_class_says_its_sizes) {
  const auto import_plain = [](const std::string& more, const std::string& strategy) {
    return import_text(start +
                       "model: {_target_: nemo.collections.llm.gpt.model.base.GPTModel, config: "
                       "{_target_: nemo.collections.llm.gpt.model.base.GPTConfig, num_layers: 4, "
                       "hidden_size: 256, num_attention_heads: 8, num_query_groups: 2, " +
                       more + "}}\n" + Trainer{.strategy = strategy}.text());
  };
  const std::string two = "tensor_model_parallel_size: 2";
  const config::Value e = import_plain("vocab_size: 1002", two).experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "layers"}), "4");
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "2");
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "1002");
  EXPECT_EQ(at(e, {"parallel", "tensor"}), "2");
  const auto refused = [&](const std::string& more) {
    return error_of([&] { import_plain(more, two); });
  };
  EXPECT_NE(refused("vocab_size: 1001").find("1001 tokens cannot be cut over 2 tensor ranks"),
            std::string::npos);
  EXPECT_NE(refused("vocab_size: 1002, multi_latent_attention: true").find("latent attention"),
            std::string::npos);
  EXPECT_NE(refused("bias_dropout_fusion: true").find("no model.config.vocab_size is here"),
            std::string::npos);
}

TEST(NemoRecipe, fp16_is_reduced_in_fp32_where_nobody_says) {
  const auto gradients = [](const std::string& plugins) {
    return at(import_text(start + model + "trainer: {devices: 8, plugins: {precision: 16-mixed" +
                          plugins + "}, strategy: {_target_: a.MegatronStrategy}}\n")
                  .experiment,
              {"gradients"});
  };
  EXPECT_EQ(gradients(""), "fp32");
  EXPECT_EQ(gradients(", grad_reduce_in_fp32: false"), "fp16");
}

TEST(NemoRecipe, what_cannot_be_said_is_named) {
  const auto refused = [](const Trainer& trainer) {
    return error_of([&] { import_recipe(trainer); });
  };
  EXPECT_NE(refused({.strategy = "tensor_size: 2"}).find("'trainer.strategy.tensor_size'"),
            std::string::npos);
  EXPECT_NE(refused({.strategy = "sequence_parallel: false", .callbacks = ", {_target_: a.Mine}"})
                .find("the callback Mine is not known"),
            std::string::npos);
  EXPECT_NE(refused({.strategy = "fsdp: deep"}).find("deep cannot be said"), std::string::npos);
  EXPECT_NE(error_of([] {
              import_text(start + model + "trainer: {devices: 8}\n");
            }).find("must be a MegatronStrategy"),
            std::string::npos);
}

TEST(NemoRecipe, a_part_without_its_trainer_is_named) {
  EXPECT_NE(
      error_of([] {
        import_text("_target_: nemo.collections.llm.gpt.model.base.GPTModel\nconfig: {a: 1}\n");
      }).find("this is a part of NeMo 2 without the trainer, which a recipe has"),
      std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
