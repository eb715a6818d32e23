// What configurations of Whisper say beyond the common names (transformers,
// whisper/configuration_whisper.py).
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

/// Refuses a decoder whose blocks are not as those of the encoder, which says `ours`.
void require_alike(const Value& config, const char* decoder, int64_t ours) {
  if (count_of(config, decoder, ours) != ours)
    find_given(config, decoder)
        ->fail(fmt::format("{} must be {}: blocks of the decoder are as the encoder's", decoder,
                           ours));
}

}  // namespace

void extend_whisper(const Value& config, Value& transformer) {
  const int64_t heads = count_of(config, "num_attention_heads", 0);
  require_alike(config, "decoder_attention_heads",
                count_of(config, "encoder_attention_heads", heads));
  require_alike(config, "decoder_ffn_dim", count_of(config, "encoder_ffn_dim", 0));
  copy(config, "encoder_layers", transformer, "layers");
  copy(config, "encoder_attention_heads", transformer, "heads");
  copy(config, "encoder_ffn_dim", transformer, "ffn");
  copy(config, "decoder_layers", transformer, "decoder");
  copy(config, "max_target_positions", transformer, "decoder_sequence");
  copy(config, "num_mel_bins", map_of(transformer, "sound"), "bins");
}

}  // namespace pipewright::hugging_face
