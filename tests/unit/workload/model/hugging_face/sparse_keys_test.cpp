#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

std::string frequencies(int layers) {
  std::string list;
  for (int block = 0; block < layers; ++block)
    list += (block == 0 ? "" : ", ") + std::string(block < 3 ? "0" : "1");
  return "[" + list + "]";
}

std::string m3(int layers, int choices) {
  return R"({"model_type": "minimax_m3_vl", "text_config": {"hidden_size": 6144,
      "intermediate_size": 3072, "dense_intermediate_size": 12288,
      "shared_intermediate_size": 3072, "num_attention_heads": 64, "num_key_value_heads": 4,
      "head_dim": 128, "vocab_size": 200064, "max_position_embeddings": 1048576,
      "attention_output_gate": false, "num_local_experts": 128, "num_experts_per_tok": 4,
      "n_shared_experts": 1, "use_qk_norm": true, "qk_norm_type": "per_head",
      "tie_word_embeddings": false, "num_hidden_layers": )" +
         std::to_string(layers) + R"(, "moe_layer_freq": )" + frequencies(layers) +
         R"(, "sparse_attention_config": {"use_sparse_attention": true, "sparse_index_dim": 128,
      "sparse_num_index_heads": 4, "sparse_topk_blocks": 16, "sparse_block_size": 128,
      "sparse_attention_freq": )" +
         frequencies(choices) + "}}}";
}

// MiniMaxAI/MiniMax-M3: three blocks with an MLP and attention to all, 57 with experts and an
// indexer of four queries and one key, each with a norm. With its tower it is said to have 428 B.
TEST(SparseKeys, minimax_m3) {
  constexpr double h = 6144;
  const double attention = attention_weights(h, 64, 4, 128) + 2 * 128;
  const double indexer = h * 5 * 128 + 2 * 128;
  const double routed = expert_weights(h, 128, 3072) + mlp_weights(h, 3072);
  EXPECT_DOUBLE_EQ(parameters_of(m3(60, 60)), 60 * (attention + 2 * h) + 57 * (indexer + routed) +
                                                  3 * mlp_weights(h, 12288) + 2 * 200064 * h + h);
  EXPECT_NEAR(parameters_of(m3(60, 60)), 427e9, 2e9);
  const TransformerShape shape = hugging_face(m3(60, 60)).transformer;
  EXPECT_EQ(shape.reach(2, 1 << 17), 1 << 17);
  EXPECT_EQ(shape.reach(3, 1 << 17), 2048);
}

TEST(SparseKeys, a_list_that_leaves_blocks_out_is_told) {
  EXPECT_NE(error_of([] {
              hugging_face(m3(6, 5));
            }).find("has 5 entries for 6 layers: it must have one for each"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
