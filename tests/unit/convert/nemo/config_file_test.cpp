#include "convert/nemo/config_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "../megatron/flags_of.hpp"
#include "error_of.hpp"

namespace pipewright::test {
namespace {

const std::string small_job = R"(
trainer: {devices: 8, num_nodes: 2, precision: bf16, max_steps: 10}
model:
  num_layers: 8
  hidden_size: 512
  num_attention_heads: 8
  encoder_seq_length: 1024
  max_position_embeddings: ${.encoder_seq_length}
  micro_batch_size: 2
  global_batch_size: 64
  megatron_amp_O2: True
  mcore_gpt: True
  tokenizer: {library: megatron, type: GPT2BPETokenizer}
  tensor_model_parallel_size: 2
  pipeline_model_parallel_size: 2
)";

job::Import import_nemo(const std::string& more, std::vector<job::Further> words = {}) {
  const std::string text = small_job + more;
  const job::Source source{.text = text,
                           .file = "c.yaml",
                           .given = {},
                           .partial = false,
                           .read = {},
                           .further = std::move(words)};
  return nemo::import_config(source);
}

// 16 devices / (2 x 2) are 4 replicas. GPT-2's 50257 tokens are padded to 128 x 2.
TEST(Nemo, a_configuration_is_an_experiment) {
  const config::Value e = import_nemo(
                              "  activation: fast-swiglu\n  normalization: rmsnorm\n"
                              "  bias: False\n  num_query_groups: 4\n"
                              "  virtual_pipeline_model_parallel_size: 2\n")
                              .experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "4");
  EXPECT_EQ(at(e, {"parallel", "virtual"}), "2");
  EXPECT_EQ(at(e, {"overlap", "p2p"}), "rendezvous");
  EXPECT_EQ(at(e, {"batch", "sequence"}), "1024");
  EXPECT_EQ(at(e, {"precision"}), "bf16");
  EXPECT_EQ(at(e, {"model", "transformer", "vocabulary"}), "50432");
  EXPECT_EQ(at(e, {"model", "transformer", "gated"}), "true");
  EXPECT_EQ(at(e, {"model", "transformer", "norm"}), "rmsnorm");
  EXPECT_EQ(at(e, {"model", "transformer", "kv_heads"}), "4");
  EXPECT_EQ(at(e, {"model", "transformer", "bias"}), "false");
  EXPECT_EQ(at(e, {"model", "transformer", "tied_embeddings"}), "true");
  EXPECT_EQ(at(e, {"training", "tokens"}), "655360");
}

TEST(Nemo, optimizers_cut_and_hide_as_they_say) {
  const config::Value e =
      import_nemo(
          "  optim: {name: distributed_fused_adam, lr: 1e-4, overlap_grad_sync: True, "
          "grad_sync_dtype: bf16}\n  overlap_p2p_comm: True\n"
          "  virtual_pipeline_model_parallel_size: 2\n")
          .experiment;
  EXPECT_EQ(at(e, {"parallel", "zero"}), "1");
  EXPECT_EQ(at(e, {"overlap", "data"}), "true");
  EXPECT_EQ(at(e, {"overlap", "p2p"}), "async");
  EXPECT_EQ(at(e, {"gradients"}), "bf16");
}

TEST(Nemo, recomputation_and_fp8_have_other_names) {
  const config::Value e =
      import_nemo(
          "  activations_checkpoint_granularity: full\n"
          "  activations_checkpoint_method: block\n"
          "  activations_checkpoint_num_layers: 1\n  fp8: True\n  fp8_hybrid: True\n")
          .experiment;
  EXPECT_EQ(at(e, {"recompute", "layers"}), "1");
  EXPECT_EQ(at(e, {"precision"}), "fp8");
}

// Without fp8 nothing is kept in it.
TEST(Nemo, fp8_params_are_weights_that_are_kept_in_fp8) {
  const auto weights = [](const std::string& fp8) {
    const config::Value e = import_nemo("  fp8: " + fp8 + "\n  fp8_params: True\n").experiment;
    const config::Value* found = e.find("weights");
    return found ? found->text : "";
  };
  EXPECT_EQ(weights("True"), "fp8");
  EXPECT_EQ(weights("False"), "");
}

TEST(Nemo, words_of_the_command_line_change_it) {
  const config::Value e =
      import_nemo("", {{"trainer.num_nodes=1"}, {"+model.kv_channels=32"}}).experiment;
  EXPECT_EQ(at(e, {"parallel", "data"}), "2");
  EXPECT_EQ(at(e, {"model", "transformer", "head_dim"}), "32");
}

// MegatronBaseModel: cfg.get('megatron_amp_O2', False); build_model_parallel_config has
// params_dtype and enable_autocast of it.
TEST(Nemo, without_the_second_level_of_mixed_precision_weights_stay_in_fp32) {
  for (const char* word : {"~model.megatron_amp_O2", "model.megatron_amp_O2=False"}) {
    const config::Value e = import_nemo("", {{word}}).experiment;
    EXPECT_EQ(at(e, {"precision", "autocast"}), "bf16") << word;
    EXPECT_EQ(at(e, {"gradients"}), "fp32") << word;
  }
  EXPECT_EQ(at(import_nemo("").experiment, {"precision"}), "bf16");
  EXPECT_EQ(
      at(import_nemo("", {{"model.megatron_amp_O2=False"}, {"trainer.precision=16"}}).experiment,
         {"precision", "autocast"}),
      "fp16");
  EXPECT_EQ(at(import_nemo("", {{"~model.megatron_amp_O2"}, {"trainer.precision=32"}}).experiment,
               {"precision"}),
            "fp32");
  EXPECT_NE(error_of([] {
              import_nemo("  fp8: True\n", {{"~model.megatron_amp_O2"}});
            }).find("beside weights that stay in fp32 cannot be said"),
            std::string::npos);
}

TEST(Nemo, what_cannot_be_said_is_named_where_it_stands) {
  EXPECT_EQ(error_of([] { import_nemo("  number_layers: 3\n"); }),
            "c.yaml:16:18: error: 'model.number_layers' is no key of NeMo that is known; "
            "--partial goes on without it, and says so in the experiment");
  EXPECT_NE(error_of([] {
              import_nemo("", {{"~model.num_layers"}});
            }).find("model.num_layers is missing"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              import_nemo("", {{"model.encoder_seq_length=x"}});
            }).find("model.encoder_seq_length needs a whole number of at least 0, not 'x'"),
            std::string::npos);
  EXPECT_EQ(
      error_of([] { import_nemo("  restore_from_path: x.nemo\n", {{"~model.num_layers"}}); }),
      "c.yaml:16:22: error: the sizes of the model are in a checkpoint: give its Hugging Face "
      "config.json as a further FILE, or --model NAME of the catalogue");
  EXPECT_NE(error_of([] {
              import_nemo("  peft: {peft_scheme: lora}\n");
            }).find("weights that are not trained are not read here"),
            std::string::npos);
}

// MegatronGPTSFTModel.merge_cfg_with: the checkpoint's configuration lies below the file's.
TEST(Nemo, a_checkpoint_says_what_its_configuration_does_not) {
  const std::string text = small_job + "  restore_from_path: x.nemo\n";
  job::Source source{.text = text, .file = "c.yaml", .given = {}};
  for (const char* key : {"num_layers", "hidden_size", "num_attention_heads", "mcore_gpt",
                          "tokenizer", "max_position_embeddings"})
    source.further.push_back({std::string("~model.") + key});
  source.model = "llama-2-7b";
  const config::Value e = nemo::import_config(source).experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "norm"}), "rmsnorm");
  EXPECT_EQ(at(e, {"attention"}), "flash");
}

// nemo/collections/nlp/modules/common/megatron/utils.py: layernorm1p keeps its gain less one.
TEST(Nemo, norms_and_rotations_of_its_own_belong_to_the_model) {
  const config::Value e = import_nemo(
                              "  normalization: layernorm1p\n  position_embedding_type: rope\n"
                              "  seq_len_interpolation_factor: 4\n")
                              .experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "norm"}), "layernorm");
  EXPECT_EQ(at(e, {"model", "constants", "megatron_arguments"}), "--apply-layernorm-1p");
  EXPECT_EQ(at(e, {"model", "constants", "rope_scaling", "factor"}), "4");
}

}  // namespace
}  // namespace pipewright::test
