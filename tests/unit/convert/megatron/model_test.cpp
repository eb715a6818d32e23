#include "convert/megatron/model.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "error_of.hpp"
#include "flags_of.hpp"
#include "workload/model/model.hpp"

namespace pipewright::test {
namespace {

struct GivenModel {
  FlagsOf given;
  config::Value value;
  explicit GivenModel(const std::string& text, megatron::Program program = megatron::Program::gpt)
      : given("--hidden-size 1024 --num-attention-heads 16 " + text) {
    value = read_model(*given.flags, {.tensor = 2, .layers = 8}, program);
  }
  std::string operator[](const char* key) const { return at(value, {key}); }
};

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

TEST(MegatronModel, the_first_layers_may_be_dense) {
  const GivenModel model("--num-experts 4 --moe-layer-freq '([0]*3+[1]*5)'");
  EXPECT_EQ(at(model.value, {"experts", "dense"}), "3");
  const GivenModel one("--num-experts 4 --moe-layer-freq '([0]+[1]*7)'");
  EXPECT_EQ(at(one.value, {"experts", "dense"}), "1");
  const GivenModel second("--num-experts 4 --moe-layer-freq '([0]+[1])*4'");
  EXPECT_EQ(at(second.value, {"experts", "every"}), "2");
  EXPECT_NE(error_of([] {
              GivenModel("--num-experts 4 --moe-layer-freq '([1]+[0])*3'");
            }).find("cannot be said"),
            std::string::npos);
}

// SwitchMLP of 2022 and 2023 knows one expert for a token; since 2024 two are the default.
TEST(MegatronModel, a_token_goes_to_as_many_experts_as_it_did_then) {
  const auto active = [](const std::string& more) {
    return at(GivenModel("--num-experts 4 " + more).value, {"experts", "active"});
  };
  EXPECT_EQ(active(""), "2");
  EXPECT_EQ(active("--DDP-impl local"), "1");
  EXPECT_EQ(active("--moe-router-topk 3"), "3");
  const std::string note =
      "nothing says how many experts a token goes to: 2, as by default since 2024";
  const auto is_told = [&](const std::string& more) {
    const std::vector<std::string> assumed =
        GivenModel("--num-experts 4 " + more).given.import.assumed;
    return std::count(assumed.begin(), assumed.end(), note) == 1;
  };
  EXPECT_TRUE(is_told(""));
  EXPECT_FALSE(is_told("--moe-router-topk 2"));
  EXPECT_FALSE(is_told("--DDP-impl local"));
  EXPECT_NE(error_of([] { GivenModel("--num-experts 1"); }).find("fewer than the 2 experts"),
            std::string::npos);
}

/// The layers of 8 that have experts.
std::string experts_in(const std::string& arguments) {
  const GivenModel model("--num-experts 4 " + arguments);
  config::Value document;
  document.set("transformer", model.value);
  const TransformerShape shape = read_model(document).transformer;
  std::string layers;
  for (int64_t i = 0; i < 8; ++i)
    if (shape.feed(i) == Feed::experts) layers += std::to_string(i);
  return layers;
}

// get_gpt_decoder_block_spec: layer i has experts where i mod n is 0.
TEST(MegatronModel, every_so_many_layers_begin_with_the_first) {
  EXPECT_EQ(experts_in("--moe-layer-freq 1"), "01234567");
  EXPECT_EQ(experts_in("--moe-layer-freq 2"), "0246");
  EXPECT_EQ(experts_in("--moe-layer-freq 3"), "036");
  EXPECT_EQ(experts_in("--moe-layer-freq 9"), "0");
  EXPECT_EQ(experts_in("--moe-layer-freq '([1]+[0])*4'"), "0246");
  EXPECT_EQ(experts_in("--moe-layer-freq '([0]*6+[1]+[0])'"), "6");
}

TEST(MegatronModel, an_expert_is_as_wide_as_the_mlp_unless_it_says_so) {
  EXPECT_EQ(at(GivenModel("--num-experts 4").value, {"experts", "ffn"}), "4096");
  EXPECT_EQ(at(GivenModel("--num-experts 4 --moe-ffn-hidden-size 512").value, {"experts", "ffn"}),
            "512");
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

// Rows of padding come above a capacity of 1 only: below it the experts are full.
TEST(MegatronModel, full_experts_may_be_padded) {
  const std::string padded = "--num-experts 4 --moe-pad-expert-input-to-capacity ";
  const GivenModel full(padded + "--moe-expert-capacity-factor 1.0");
  EXPECT_EQ(at(full.value, {"experts", "capacity"}), "1");
  EXPECT_THAT(full.given.import.assumed,
              testing::Contains(testing::HasSubstr("takes no more time")));
  const auto error = [&](const std::string& more) {
    return error_of([&] { GivenModel model(padded + more); });
  };
  EXPECT_NE(error("--moe-expert-capacity-factor 1.25").find("rows of padding are not modelled"),
            std::string::npos);
  EXPECT_NE(error("").find("needs --moe-expert-capacity-factor"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
