#include "convert/torchtitan/flavors.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "job_settings.hpp"
#include "workload/transformer/transformer_shape.hpp"

namespace pipewright::test {
namespace {

config::Value flavor(const std::string& model, const std::string& name) {
  const std::string text = "[model]\nname = \"" + model + "\"\nflavor = \"" + name + "\"\n";
  JobSettings job(text);
  return *torchtitan::read_flavor(job.settings).find("transformer");
}

// Llama 3's published widths: 8B has 32 heads of 128, and 405B an MLP of 53248.
TEST(TorchtitanFlavors, are_transformers) {
  const TransformerShape small = read_transformer(flavor("llama3", "8B"));
  EXPECT_EQ(small.attention.head_dim, 128);
  EXPECT_EQ(small.attention.kv_heads, 8);
  EXPECT_FALSE(small.ends.tied);
  EXPECT_EQ(read_transformer(flavor("llama3", "405B")).ffn, 53248);
  EXPECT_TRUE(read_transformer(flavor("qwen3", "0.6B")).ends.tied);
  EXPECT_EQ(read_transformer(flavor("qwen3", "32B")).attention.norm, HeadNorm::head);
  EXPECT_EQ(read_transformer(flavor("deepseek_v3", "671B")).experts->dense, 3);
}

// Every fourth layer of Llama 4 sees the whole sequence, from the first on; experts are as wide as
// the routed and the shared one share 16384. Two layers of gpt-oss in four have a window of 128.
TEST(TorchtitanFlavors, say_which_layers_see_how_far) {
  const TransformerShape scout = read_transformer(flavor("llama4", "17bx16e_irope"));
  EXPECT_EQ(scout.kinds.mixers.front(), Mixer::full);
  EXPECT_EQ(scout.experts->ffn, scout.ffn / 2);
  EXPECT_TRUE(read_transformer(flavor("llama4", "17bx128e")).kinds.mixers.empty());
  EXPECT_EQ(read_transformer(flavor("llama4", "17bx128e")).experts->every, 2);
  const TransformerShape oss = read_transformer(flavor("gpt_oss", "120b"));
  EXPECT_EQ(oss.attention.window, 128);
  EXPECT_EQ(oss.attention.window_every, 2);
  EXPECT_EQ(oss.experts->count, 128);
}

TEST(TorchtitanFlavors, had_other_names) {
  EXPECT_EQ(read_transformer(flavor("llama", "13B")).ffn, 13824);
  EXPECT_EQ(read_transformer(flavor("llama3", "8B_flex")).ffn, 14336);
  EXPECT_NE(
      error_of([] { flavor("llama3", "9B"); }).find("here are debugmodel, 1B, 3B, 8B, 70B, 405B"),
      std::string::npos);
}

// torchtitan/models/norms.py, until April 2025.
TEST(TorchtitanFlavors, jobs_said_their_norms) {
  const auto norm = [](const std::string& kind) {
    const std::string text =
        "[model]\nname = \"llama3\"\nflavor = \"8B\"\nnorm_type = \"" + kind + "\"\n";
    JobSettings job(text);
    return read_transformer(*torchtitan::read_flavor(job.settings).find("transformer")).norm;
  };
  EXPECT_EQ(norm("layernorm"), Norm::layernorm);
  EXPECT_EQ(norm("fused_rmsnorm"), Norm::rmsnorm);
  EXPECT_NE(error_of([&] { norm("deepnorm"); }).find("norms are rmsnorm or layernorm"),
            std::string::npos);
}

// Primus changes layers, and jobs until April 2025 their norms.
TEST(TorchtitanFlavors, what_the_job_changes_holds_over_a_given_model) {
  JobSettings job(
      "[model]\nname = \"llama3\"\nflavor = \"x\"\nn_layers = 4\nnorm_type = \"layernorm\"\n");
  job.source.model = "llama-2-7b";
  const config::Value sizes = *torchtitan::read_flavor(job.settings).find("transformer");
  EXPECT_EQ(sizes.find("layers")->text, "4");
  EXPECT_EQ(sizes.find("norm")->text, "layernorm");
}

// torchtitan/models/llama3/__init__.py: 8 layers until #1103 of April 2025, and the tokenizer's
// 2256 tokens until #1333 of July 2025.
TEST(TorchtitanFlavors, the_debug_model_is_that_of_its_time) {
  const auto sizes = [](const std::string& more) {
    JobSettings job("[model]\nname = \"llama3\"\nflavor = \"debugmodel\"\n" + more);
    const config::Value model = torchtitan::read_flavor(job.settings);
    const config::Value* shape = model.find("transformer");
    return shape->find("layers")->text + " " + shape->find("vocabulary")->text;
  };
  const std::string tiktoken = "tokenizer_path = \"./tests/assets/test_tiktoken.model\"\n";
  EXPECT_EQ(sizes("norm_type = \"rmsnorm\"\n" + tiktoken), "8 2256");
  EXPECT_EQ(sizes(tiktoken), "6 2256");
  EXPECT_EQ(sizes("tokenizer_path = \"./tests/assets/tokenizer\"\n"), "6 2000");
  EXPECT_EQ(sizes("hf_assets_path = \"./tests/assets/tokenizer\"\n"), "6 2048");
}

}  // namespace
}  // namespace pipewright::test
