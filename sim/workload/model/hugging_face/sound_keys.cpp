// What configurations of Whisper say beyond the common names (transformers,
// whisper/configuration_whisper.py).
#include <fmt/format.h>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

/// Refuses a decoder whose blocks are not as wide as the encoder's.
void require_alike(const Value& config, const char* encoder, const char* decoder) {
  const int64_t ours = count_of(config, encoder, 0), its = count_of(config, decoder, ours);
  if (its != ours)
    find_given(config, decoder)
        ->fail(fmt::format("{} must be {} {}: blocks of encoder and decoder are alike", decoder,
                           encoder, ours));
}

}  // namespace

void extend_whisper(const Value& config, Value& transformer) {
  require_alike(config, "encoder_ffn_dim", "decoder_ffn_dim");
  require_alike(config, "encoder_attention_heads", "decoder_attention_heads");
  copy(config, "encoder_ffn_dim", transformer, "ffn");
  copy(config, "decoder_layers", transformer, "decoder");
  copy(config, "max_target_positions", transformer, "decoder_sequence");
  copy(config, "num_mel_bins", map_of(transformer, "sound"), "bins");
}

}  // namespace pipewright::hugging_face
