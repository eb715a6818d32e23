#include "convert/megatron/gated_delta.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

config::Value transformer_of(const std::string& more, int64_t layers) {
  FlagsOf given("--experimental-attention-variant gated_delta_net " + more);
  config::Value transformer;
  megatron::read_gated_delta(*given.flags, layers, transformer);
  return transformer;
}

std::string mixers_of(const std::string& more, int64_t layers) {
  const config::Value transformer = transformer_of(more, layers);
  std::string text;
  for (const config::Value& mixer : transformer.find("mixers")->items) text += mixer.text[0];
  return text;
}

// get_linear_attention_pattern: layer i has softmax attention where i + 1 is a multiple.
TEST(MegatronGatedDelta, every_so_many_layers_have_softmax_attention) {
  EXPECT_EQ(mixers_of("--linear-attention-freq 4", 8), "gggf");
  EXPECT_EQ(mixers_of("--linear-attention-freq '([1]*3+[0])*2'", 8), "gggf");
  EXPECT_EQ(mixers_of("--linear-attention-freq '[1,0,0]'", 3), "gff");
}

TEST(MegatronGatedDelta, has_the_dimensions_of_qwen3_next_where_none_are_said) {
  const config::Value transformer =
      transformer_of("--linear-attention-freq 2 --linear-num-key-heads 8", 4);
  EXPECT_EQ(at(transformer, {"gated_delta", "key_heads"}), "8");
  EXPECT_EQ(at(transformer, {"gated_delta", "value_heads"}), "32");
  EXPECT_EQ(at(transformer, {"gated_delta", "key_dim"}), "128");
  EXPECT_EQ(at(transformer, {"gated_delta", "convolution"}), "4");
}

TEST(MegatronGatedDelta, layers_must_be_said) {
  EXPECT_NE(error_of([] { mixers_of("", 4); }).find("needs --linear-attention-freq"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              mixers_of("--linear-attention-freq '[1,0]'", 4);
            }).find("neither a number nor a pattern of all 4 layers"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
