// What configurations of LFM2 say beyond the common names: short convolutions or attention, with an
// MLP or experts (transformers, lfm2/modular_lfm2.py and lfm2_moe/modular_lfm2_moe.py).
#include <fmt/format.h>

#include <cmath>

#include "workload/model/hugging_face/family.hpp"

namespace pipewright::hugging_face {
namespace {

/// Layers by a list of conv and full_attention, or by the numbers of those with attention.
std::vector<std::string_view> convolution_or_attention(const Value& config) {
  const int64_t layers = count_of(config, "num_hidden_layers", 0);
  std::vector<std::string_view> kinds(static_cast<size_t>(layers), "full");
  if (const Value* types = find_given(config, "layer_types")) {
    if (static_cast<int64_t>(types->items.size()) != layers)
      types->fail(fmt::format("layer_types has {} types for {} layers: it must have one for each",
                              types->items.size(), layers));
    for (size_t block = 0; block < kinds.size(); ++block)
      if (config::as_choice(types->items[block], {"full_attention", "conv", "short_conv"}) > 0)
        kinds[block] = "short-convolution";
    return kinds;
  }
  const Value* attends = find_given(config, "full_attn_idxs");
  if (!attends) return kinds;
  const std::vector<bool> listed = listed_blocks(*attends, layers);
  for (size_t block = 0; block < kinds.size(); ++block)
    if (!listed[block]) kinds[block] = "short-convolution";
  return kinds;
}

void set_convolutions(const Value& config, Value& transformer) {
  set_mixers(transformer, convolution_or_attention(config));
  Value& convolution = map_of(transformer, "short_convolution");
  copy(config, "conv_L_cache", convolution, "taps");
  copy(config, "conv_bias", convolution, "bias");
}

/// The width of the MLP: two thirds of what is said, times a factor, rounded up to a multiple.
int64_t adjusted(const Value& config, int64_t width) {
  width = 2 * width / 3;
  if (const Value* factor = find_given(config, "block_ffn_dim_multiplier"))
    width = static_cast<int64_t>(
        std::floor(config::as_number(*factor, 0, 1e6) * static_cast<double>(width)));
  const int64_t multiple = std::max<int64_t>(count_of(config, "block_multiple_of", 256), 1);
  return (width + multiple - 1) / multiple * multiple;
}

}  // namespace

void extend_lfm2(const Value& config, Value& transformer) {
  set_convolutions(config, transformer);
  const int64_t width =
      count_of(config, "block_ff_dim", count_of(config, "intermediate_size", 12288));
  const bool adjusts = !says(config, "block_auto_adjust_ff_dim", false);
  set_number(transformer, "ffn", adjusts ? adjusted(config, width) : width);
}

void extend_lfm2_moe(const Value& config, Value& transformer) {
  set_convolutions(config, transformer);
  copy(config, "num_dense_layers", map_of(transformer, "experts"), "dense");
}

}  // namespace pipewright::hugging_face
