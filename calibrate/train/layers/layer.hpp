// A layer of a real model: its passes as kernel calls. Layers hold no state; weights, and what a
// forward pass keeps for the backward one, are the caller's.
//
// The backward pass comes in two halves: the gradient of the input, which the stage before waits
// for, and that of the weights, which can be worked out at any time after it.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "calibrate/train/layers/random.hpp"
#include "kernels/kernels.hpp"

namespace pipewright::train {

using kernels::Array;
using kernels::Kernels;
using kernels::Tensor;

/// One token slice of one micro-batch. A sample that is no sequence has one token.
struct Batch {
  int sequences = 1;
  int slice = 0, slices = 1;
  int first = 0, tokens = 0, total = 0;  ///< of each sequence: tokens [first, first + tokens)
  std::vector<int32_t> inputs, targets;  ///< of the slice, sequence by sequence
  std::vector<float> features;           ///< in place of inputs, sample by sample
  double loss_scale = 1;                 ///< of a token's loss in that of the optimizer step

  int64_t rows() const { return int64_t{sequences} * tokens; }
};

/// The state that one micro-batch leaves in a layer between its passes.
struct Stash {
  std::vector<std::vector<Array>> kept;  ///< by slice, what the layer put there
  std::vector<Array> shared;             ///< by all slices
  std::vector<Stash> parts;              ///< of the layers inside

  /// The arrays of slice `batch.slice`.
  std::vector<Array>& of(const Batch& batch);
  /// Forgets them, here and inside; what slices share stays.
  void release(const Batch& batch);
};

/// A call of a layer's pass.
struct Call {
  Kernels& kernels;
  Tensor weights;  ///< [1, parameters()]
  const Batch& batch;
  Stash& stash;
};

class Layer {
 public:
  virtual ~Layer() = default;
  virtual int64_t parameters() const { return 0; }
  /// Fills in parameters() first weights.
  virtual void initialize(Random&, std::span<float>) const {}
  virtual Array forward(const Call& call, const Array& x) const = 0;
  /// Returns the gradient of the input from that of the output. Called once, after forward().
  virtual Array input_gradient(const Call& call, const Array& dy) const = 0;
  /// Adds to `gradients` [1, parameters()] and forgets what the slice kept. After
  /// input_gradient(), once.
  virtual void weight_gradient(const Call& call, const Tensor& gradients) const = 0;
};

using LayerPointer = std::unique_ptr<const Layer>;

// --- layers, each in its own file; widths in features ---

/// y = x W^T + bias, W [out, in].
LayerPointer linear(int64_t in, int64_t out, bool bias);
LayerPointer layer_norm(int64_t width);
LayerPointer gelu();
LayerPointer relu();
/// Makes attention from queries, keys and values side by side [rows, (heads + 2 kv_heads) *
/// head_dim].
LayerPointer attention(int heads, int kv_heads, int head_dim, bool causal);
/// Ignores its input: rows are those of a table, [vocabulary, width], at the batch's tokens, and,
/// unless `positions` is 0, of another one at their positions.
LayerPointer embedding(int64_t vocabulary, int64_t positions, int64_t width);
/// Ignores its input: the batch's features, a row for each of a sample's `places`.
LayerPointer images(int64_t places, int64_t channels);
/// Rows and columns as Kernels::unfold has them, y = patches W^T + bias, W [out, patch]. `shape` is
/// of one sample.
LayerPointer convolution(const kernels::WindowShape& shape, int64_t out);
LayerPointer max_pool(const kernels::WindowShape& shape);
/// The `places` rows of a sample become one.
LayerPointer flatten(int64_t places);
/// sums = x Wx^T + y_before Wh^T + two biases, then the cell, token by token; states pass from
/// slice to slice. Weights Wx [4 hidden, in], Wh [4 hidden, hidden], biases [4 hidden].
LayerPointer lstm(int64_t in, int64_t hidden);
/// Makes the layer from logits to the batch's loss [1, 1]. Its output has no gradient:
/// input_gradient ignores its own.
LayerPointer cross_entropy();
/// One after the other.
LayerPointer chain(std::vector<LayerPointer> layers);
/// y = x + inner(x)
LayerPointer residual(LayerPointer inner);
/// Keeps its input alone and runs forward once more before the gradients (Chen et al.,
/// arXiv 1604.06174).
LayerPointer recomputed(LayerPointer inner);

}  // namespace pipewright::train
