#include "convert/megatron/document.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"

namespace pipewright::megatron {
namespace {

constexpr Alias aliases[] = {{"name", "optimizer"}};
constexpr job::Key own[] = {{"m.mine", job::Effect::nothing, "ours"}};

/// The arguments of a document's section `m`, as one would type them.
std::string typed(const std::string& yaml, job::Import& import) {
  const job::Source source;
  job::Settings settings(config::parse(yaml, "x.yaml"), source, import);
  std::vector<job::Word> words;
  add_arguments(settings, "m", {aliases, own}, words);
  std::string text;
  for (const job::Word& word : words) text += (text.empty() ? "" : " ") + word.text;
  settings.review(own, "a test");
  return text;
}

std::string typed(const std::string& yaml) {
  job::Import import;
  return typed(yaml, import);
}

TEST(MegatronDocument, keys_are_arguments) {
  EXPECT_EQ(typed("m: {num_layers: 4, name: sgd, seq_length: null}"),
            "--num-layers 4 --optimizer sgd");
  EXPECT_EQ(typed("m: {recompute_modules: [mlp, layernorm], window_size: [127, 0]}"),
            "--recompute-modules mlp layernorm --window-size 127,0");
}

TEST(MegatronDocument, truths_are_flags_of_either_sense) {
  EXPECT_EQ(typed("m: {sequence_parallel: True, bf16: false}"), "--sequence-parallel");
  EXPECT_EQ(typed("m: {add_bias_linear: false}"), "--disable-bias-linear");
  EXPECT_EQ(typed("m: {add_bias_linear: true}"), "");
  EXPECT_NE(test::error_of([] { typed("m: {bf16: maybe}"); }).find("must be true or false"),
            std::string::npos);
}

// Three dense layers of five.
TEST(MegatronDocument, a_list_of_layers_is_a_pattern) {
  EXPECT_EQ(typed("m: {moe_layer_freq: [0, 0, 0, 1, 1]}"), "--moe-layer-freq ([0]*3+[1]*2)");
  EXPECT_EQ(typed("m: {linear_attention_freq: [1, 1, 0]}"), "--linear-attention-freq [1, 1, 0]");
}

// LayerType of megatron/core/transformer/enums.py.
TEST(MegatronDocument, a_list_of_stages_is_a_layout) {
  EXPECT_EQ(typed("m: {pipeline_model_parallel_layout: [[embedding, decoder, decoder], "
                  "[decoder, mtp, loss]]}"),
            "--pipeline-model-parallel-layout Ett|tmL");
  EXPECT_EQ(typed("m: {pipeline_model_parallel_layout: Ett|tmL}"),
            "--pipeline-model-parallel-layout Ett|tmL");
}

TEST(MegatronDocument, what_hangs_on_another_key_is_idle_without_it) {
  job::Import import;
  EXPECT_EQ(typed("m: {cpu_offloading: false, cpu_offloading_num_layers: 3, mine: 1}", import), "");
  EXPECT_EQ(import.unused.size(), 2U);
  EXPECT_EQ(typed("m: {first_last_layers_bf16: true, num_layers_at_start_in_bf16: 2}"),
            "--first-last-layers-bf16 --num-layers-at-start-in-bf16 2");
}

TEST(MegatronDocument, other_keys_are_left_to_the_framework) {
  EXPECT_EQ(test::error_of([] { typed("m: {number_layers: 3}"); }),
            "x.yaml:1:20: error: 'm.number_layers' is no key of a test that is known; --partial "
            "goes on without it, and says so in the experiment");
}

// optimizer_config.py has number formats of PyTorch, and arguments have words of their own.
TEST(MegatronDocument, number_formats_of_pytorch_are_words) {
  EXPECT_EQ(typed("m: {exp_avg_dtype: torch.bfloat16, exp_avg_sq_dtype: torch.uint8}"),
            "--exp-avg-dtype bf16 --exp-avg-sq-dtype fp8");
}

// megatron/core/transformer/enums.py
TEST(MegatronDocument, a_backend_may_be_a_number) {
  EXPECT_EQ(typed("m: {attention_backend: {_target_: megatron.core.transformer.enums.AttnBackend, "
                  "_call_: true, _args_: [1]}}"),
            "--attention-backend flash");
}

TEST(MegatronDocument, a_number_format_may_be_pytorchs) {
  EXPECT_EQ(typed("m: {main_grads_dtype: {_call_: false, _target_: torch.bfloat16}}"),
            "--main-grads-dtype bf16");
}

}  // namespace
}  // namespace pipewright::megatron
