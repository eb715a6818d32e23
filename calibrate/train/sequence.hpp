// Layers one after the other, with points between them where the ranks of a tensor-parallel group
// exchange what they have: a pass stops there and goes on when that is done.
//
// enter and leave are the conjugate pair around a tensor-parallel region (Shoeybi et al., arXiv
// 1909.08053): entering copies in the forward pass and sums in the backward one, leaving the other
// way round. Each is the other's adjoint.
#pragma once

#include "calibrate/train/layer.hpp"

namespace pipewright::train {

/// What the ranks of a group make of the arrays that each of them brings.
enum class Exchange : uint8_t {
  none,
  sum,
  /// In the last three columns the maximum, the sum of exponentials above it, and the target's
  /// logit or 0, of a part of a row: become those of the whole row.
  softmax,
};

struct Step {
  enum class Kind : uint8_t {
    layer,
    fork,  ///< what is here now is added again at the next join
    join,
    enter,
    leave,
    softmax,  ///< Exchange::softmax in the forward pass, nothing in the backward
              ///< one
  };
  Kind kind = Kind::layer;
  LayerPointer layer = nullptr;
};

/// A pass on its way through a sequence.
struct Progress {
  Array x;
  std::vector<Array> forked;
  size_t steps = 0;                     ///< made
  Exchange waits_for = Exchange::none;  ///< of x; none: the pass is through
};

class Sequence {
 public:
  Sequence() = default;
  explicit Sequence(std::vector<Step> steps);

  int64_t parameters() const { return offsets_.empty() ? 0 : offsets_.back(); }
  /// Exchanges of a pass.
  int exchanges(bool forward) const;
  /// From progress.x as far as the next exchange or the end. After an exchange once more.
  void forward(const Call& call, Progress& progress) const;
  void input_gradient(const Call& call, Progress& progress) const;
  void weight_gradient(const Call& call, const Tensor& gradients) const;

 private:
  Call part(const Call& call, size_t step) const;
  std::vector<Step> steps_;
  std::vector<int64_t> offsets_;  ///< of every step's weights, and of the end
};

/// Carries out Exchange::softmax on what the ranks of a group have.
void join_softmax(Kernels& kernels, const std::vector<Tensor>& parts);

/// A sequence of one.
Sequence whole(LayerPointer layer);

}  // namespace pipewright::train
