// Mixers that pass a state on from token to token, which a device computes chunk by chunk: what
// state-space layers and linear attention have in common.
#pragma once

#include <vector>

#include "workload/transformer/share.hpp"

namespace pipewright::transformer {

/// The sequences of a micro-batch, cut into chunks.
struct Chunks {
  int64_t length = 0;  ///< tokens of one
  int64_t count = 0;   ///< of all sequences
  double tokens() const { return static_cast<double>(length) * static_cast<double>(count); }
};
Chunks chunks_of(const Share& share, int64_t length);

/// A product of every chunk and head: shape {count, m, n, k}, and the bytes that it moves.
struct ChunkProduct {
  std::array<int64_t, 4> shape{};
  double read = 0, written = 0;
};

/// A mixer's core: what runs forward and, of that, what runs once more before the gradients.
struct ChunkedCore {
  std::vector<ChunkProduct> products, again;
  double states = 0;       ///< bytes of the states between chunks, which are summed up in order
  double saved = 0;        ///< bytes kept
  double model_flops = 0;  ///< of the whole layer
};

/// Returns the core as an operation. A product's gradient is two products of as many FLOPs: each
/// reads half of the operands and the result's gradient, and writes the gradient of an operand.
Operation chunked(const Share& share, const ChunkedCore& core);

/// A depthwise causal convolution of a mixer's inputs, with SiLU. Of one device are `channels`.
struct Convolution {
  int64_t channels = 0, taps = 0;
  bool bias = false;
};
Operation convolution(const Share& share, const Convolution& convolution);

/// A norm of a mixer's output times a gate, `width` wide on one device. `gains`: of the whole
/// layer; they are cut over the tensor group where `is_cut`.
struct GatedNorm {
  int64_t width = 0;
  double gains = 0;
  bool is_cut = true;
};
Operation gated_norm(const Share& share, const GatedNorm& norm);

/// Parameters that a mixer has for each head: `count` of the whole layer, cut over the tensor
/// group.
Operation head_parameters(const Share& share, double count);

/// The product that makes a mixer's inputs, `out` wide in the whole layer, in a region.
Operation mixer_inputs(const Share& share, int64_t out, bool bias);

}  // namespace pipewright::transformer
