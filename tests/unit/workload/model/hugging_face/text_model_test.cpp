#include "workload/model/hugging_face/text_model.hpp"

#include <gtest/gtest.h>

#include "hugging_face.hpp"

namespace pipewright {
namespace {

// LLaVA 1.5 leaves out what Vicuna has by LlamaConfig's defaults; llava-hf/llava-1.5-7b-hf.
TEST(TextModel, what_a_nested_model_leaves_out_is_its_class_s) {
  const Model model = test::hugging_face(R"({"model_type": "llava", "text_config": {
      "model_type": "llama", "max_position_embeddings": 4096, "vocab_size": 32064},
      "vision_config": {"model_type": "clip_vision_model"}})");
  EXPECT_EQ(model.transformer.hidden, 4096);
  EXPECT_EQ(model.transformer.layers, 32);
  EXPECT_EQ(model.transformer.ffn, 11008);
  EXPECT_EQ(model.sequence, 4096);
}

// InternVL, DeepSeek-VL 2 and Qwen-Omni have names of their own for it.
TEST(TextModel, it_is_found_under_each_name_and_below_another) {
  const std::string qwen = R"({"model_type": "qwen2", "hidden_size": 64, "num_hidden_layers": 3,
      "num_attention_heads": 4, "num_key_value_heads": 4, "vocab_size": 100})";
  for (const char* name : {"text_config", "llm_config", "language_config"})
    EXPECT_EQ(test::hugging_face(R"({"model_type": "some_vl", ")" + std::string(name) +
                                 "\": " + qwen + "}")
                  .transformer.layers,
              3)
        << name;
  const Model omni = test::hugging_face(R"({"model_type": "qwen2_5_omni", "thinker_config": {
      "model_type": "qwen2_5_omni_thinker", "audio_config": {"d_model": 8}, "text_config": )" +
                                        qwen + "}}");
  EXPECT_EQ(omni.transformer.layers, 3);
  EXPECT_EQ(omni.left_out, "the model's text part only: what audio_config describes is left out");
}

// DeepSeek V3, Qwen3.5 and MiniMax M2 have names of their own for their number.
TEST(TextModel, modules_that_predict_are_left_out_with_a_note) {
  for (const char* key : {"num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"}) {
    const auto note = [&](const char* count) {
      return hugging_face::left_out_of(
          config::parse(std::string("{model_type: llama, ") + key + ": " + count + "}", "x.yaml"),
          false);
    };
    EXPECT_NE(note("1").find("predict further tokens"), std::string::npos) << key;
    EXPECT_EQ(note("0"), "") << key;
  }
}

TEST(TextModel, a_plain_configuration_is_its_own) {
  const config::Value plain = config::parse("{model_type: llama}", "x.yaml");
  EXPECT_FALSE(hugging_face::is_nested(plain));
  EXPECT_EQ(hugging_face::text_of(plain).entries.size(), 1u);
}

}  // namespace
}  // namespace pipewright
