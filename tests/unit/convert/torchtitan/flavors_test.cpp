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
  return torchtitan::read_flavor(job.settings);
}

// Llama 3's published widths: 8B has 32 heads of 128, and 405B an MLP of 53248.
TEST(TorchtitanFlavors, are_transformers) {
  const TransformerShape small = read_transformer(flavor("llama3", "8B"));
  EXPECT_EQ(small.attention.head_dim, 128);
  EXPECT_EQ(small.attention.kv_heads, 8);
  EXPECT_FALSE(small.ends.tied);
  EXPECT_EQ(read_transformer(flavor("llama3", "405B")).ffn, 53248);
  EXPECT_TRUE(read_transformer(flavor("qwen3", "0.6B")).ends.tied);
  EXPECT_EQ(read_transformer(flavor("deepseek_v3", "671B")).experts->dense, 3);
}

TEST(TorchtitanFlavors, had_other_names) {
  EXPECT_EQ(read_transformer(flavor("llama", "13B")).ffn, 13824);
  EXPECT_EQ(read_transformer(flavor("llama3", "8B_flex")).ffn, 14336);
  EXPECT_NE(error_of([] { flavor("llama3", "9B"); }).find("here are debugmodel, 8B, 70B, 405B"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
