#include <gtest/gtest.h>

#include "error_of.hpp"
#include "hugging_face.hpp"

namespace pipewright::test {
namespace {

std::string whisper(const char* rest) {
  return std::string(R"({"model_type": "whisper", "max_source_positions": 1500,
      "max_target_positions": 448, )") +
         rest + "}";
}

const std::string tiny = whisper(R"("d_model": 384, "encoder_layers": 4, "decoder_layers": 4,
    "encoder_attention_heads": 6, "decoder_attention_heads": 6, "encoder_ffn_dim": 1536,
    "decoder_ffn_dim": 1536, "num_mel_bins": 80, "vocab_size": 51865)");
const std::string large_v3 = whisper(R"("d_model": 1280, "encoder_layers": 32, "decoder_layers": 32,
    "encoder_attention_heads": 20, "decoder_attention_heads": 20, "encoder_ffn_dim": 5120,
    "decoder_ffn_dim": 5120, "num_hidden_layers": 32, "num_mel_bins": 128, "vocab_size": 51866)");

/// Modules of modeling_whisper.py: products have biases but for those to keys.
double counted(double h, double layers, double bins, double vocabulary) {
  const double attention = 4 * h * h + 3 * h, mlp = 8 * h * h + 5 * h, norm = 2 * h;
  const double front = 3 * bins * h + h + 3 * h * h + h + 1500 * h;
  const double encoder = layers * (attention + mlp + 2 * norm) + norm;
  const double decoder = layers * (2 * attention + mlp + 3 * norm) + norm;
  return front + encoder + (vocabulary + 448) * h + decoder;
}

// "total" of the Hub's safetensors metadata.
TEST(SoundKeys, whisper_has_its_published_parameters) {
  EXPECT_DOUBLE_EQ(counted(384, 4, 80, 51865), 37760640);
  EXPECT_DOUBLE_EQ(parameters_of(tiny.c_str()), 37760640);
  EXPECT_DOUBLE_EQ(counted(1280, 32, 128, 51866), 1543490560);
  EXPECT_DOUBLE_EQ(parameters_of(large_v3.c_str()), 1543490560);
}

TEST(SoundKeys, thirty_seconds_are_1500_tokens) {
  const Model model = hugging_face(tiny.c_str());
  EXPECT_EQ(model.sequence, 1500);
  EXPECT_EQ(model.transformer.decoder.sequence, 448);
  EXPECT_EQ(model.transformer.sound->bins, 80);
}

TEST(SoundKeys, a_decoder_of_other_widths_is_refused) {
  const std::string narrow = whisper(R"("d_model": 384, "encoder_ffn_dim": 1536,
      "decoder_ffn_dim": 768)");
  EXPECT_NE(error_of([&] {
              hugging_face(narrow.c_str());
            }).find("decoder_ffn_dim must be 1536: blocks of the decoder are as the encoder's"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
