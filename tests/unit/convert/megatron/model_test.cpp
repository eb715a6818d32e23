#include "convert/megatron/model.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "error_of.hpp"
#include "flags_of.hpp"
#include "given_model.hpp"
#include "workload/model/model.hpp"

namespace pipewright::test {
namespace {

// 50257 words, to a multiple of 128 on each of two ranks; a gated layer is two thirds as wide.
TEST(MegatronModel, defaults_are_those_of_megatron) {
  const GivenModel model("--swiglu");
  EXPECT_EQ(model["vocabulary"], "50432");
  EXPECT_EQ(model["ffn"], "2688");
  EXPECT_EQ(model["positions"], "learned");
  EXPECT_EQ(model["norm"], "layernorm");
  EXPECT_EQ(model["kv_heads"], "none");
}

// core/transformer/attention.py: norms are as wide as a head, and of the projections of attention
// the one to queries, keys and values has the bias.
TEST(MegatronModel, heads_have_norms_and_their_inputs_biases) {
  EXPECT_EQ(at(GivenModel("--qk-layernorm").value, {"attention", "norm"}), "head");
  EXPECT_EQ(at(GivenModel("--qk-l2-norm").value, {"attention", "norm"}), "unit");
  EXPECT_EQ(at(GivenModel("--add-qkv-bias --disable-bias-linear").value, {"attention", "bias"}),
            "inputs");
  EXPECT_EQ(GivenModel("--add-qkv-bias")["attention"], "none");  // all have one
}

// arguments.py: --no-position-embedding ends the program beside any type but rope.
TEST(MegatronModel, rope_holds_beside_the_flag_of_before) {
  const std::string none = "--no-position-embedding ";
  EXPECT_EQ(GivenModel(none + "--position-embedding-type rope")["positions"], "rope");
  EXPECT_EQ(GivenModel(none + "--use-rotary-position-embeddings")["positions"], "rope");
  EXPECT_EQ(GivenModel(none)["positions"], "none");
  EXPECT_NE(error_of([&] {
              GivenModel(none + "--position-embedding-type learned_absolute");
            }).find("exclude each other"),
            std::string::npos);
}

// A query and the 127 tokens before it.
TEST(MegatronModel, a_window_counts_the_query) {
  const GivenModel model("--window-size '(127,0)' --window-attn-skip-freq 2");
  EXPECT_EQ(model["window"], "128");
  EXPECT_EQ(model["window_every"], "2");
}

/// The layers of 8 that have the window.
std::string windows_in(const std::string& skips) {
  const GivenModel model("--window-size '(127,0)' --window-attn-skip-freq " + skips);
  config::Value document;
  document.set("transformer", model.value);
  const TransformerShape shape = read_model(document).transformer;
  std::string layers;
  for (int64_t i = 0; i < 8; ++i)
    if (shape.mixer(i) == Mixer::sliding) layers += std::to_string(i);
  return layers;
}

// is_layer_window_attention: every n-th layer sees all, or a list says which have the window.
TEST(MegatronModel, some_layers_have_the_window) {
  EXPECT_EQ(windows_in("1"), "");
  EXPECT_EQ(windows_in("2"), "0246");
  EXPECT_EQ(windows_in("4"), "012456");
  EXPECT_EQ(windows_in("'([1,0]*4)'"), "0246");
  EXPECT_EQ(windows_in("'[0,1]*4'"), "1357");
  EXPECT_EQ(windows_in("'[1]*3+[0]*5'"), "012");
  EXPECT_EQ(windows_in("'[1]*8'"), "01234567");
  const GivenModel second("--window-size '(127,0)' --window-attn-skip-freq '[1,0]*4'");
  EXPECT_EQ(second["window_every"], "2");
}

TEST(MegatronModel, layers_that_are_not_known_have_no_window) {
  FlagsOf given(
      "--hidden-size 1024 --num-attention-heads 16 --window-size '(127,0)' "
      "--window-attn-skip-freq '[1,0]*12'",
      true);
  const config::Value model =
      read_model(*given.flags, {.tensor = 2, .layers = 8}, megatron::Program::gpt);
  EXPECT_EQ(at(model, {"window"}), "none");
  EXPECT_EQ(given.import.refused.size(), 1u);
}

TEST(MegatronModel, programs_have_tokenizers_and_shapes_of_their_own) {
  const GivenModel bert("", megatron::Program::bert);
  EXPECT_EQ(bert["encoder"], "true");
  EXPECT_EQ(bert["vocabulary"], "30720");  // 30522 to a multiple of 256
  const GivenModel t5("--decoder-seq-length 128 --vocab-extra-ids 100", megatron::Program::t5);
  EXPECT_EQ(t5["decoder"], "8");
  EXPECT_EQ(t5["decoder_sequence"], "128");
  EXPECT_EQ(t5["vocabulary"], "30720");
}

TEST(MegatronModel, an_unknown_norm_is_refused) {
  const std::string error = error_of([] { GivenModel("--normalization BatchNorm"); });
  EXPECT_NE(error.find("needs LayerNorm or RMSNorm, not 'BatchNorm'"), std::string::npos) << error;
}

TEST(MegatronModel, modules_may_predict_further_tokens) {
  const config::Value e = import_text(small_job + "--mtp-num-layers 1").experiment;
  EXPECT_EQ(at(e, {"model", "transformer", "predict"}), "1");
  EXPECT_EQ(at(import_text(small_job + "--mtp-num-layers 0").experiment,
               {"model", "transformer", "predict"}),
            "none");
}

}  // namespace
}  // namespace pipewright::test
