// Layers one after the other, with points between or in them where the ranks of a group exchange
// what they have: a pass stops there and goes on when that is done.
//
// enter and leave are the conjugate pair around a tensor-parallel region (Shoeybi et al., arXiv
// 1909.08053): entering copies in the forward pass and sums in the backward one, leaving the other
// way round. Each is the other's adjoint.
#pragma once

#include "calibrate/train/layers/exchange.hpp"

namespace pipewright::train {

/// A pass on its way through a sequence.
struct Progress {
  Array x;
  std::vector<Array> forked;
  size_t steps = 0;            ///< made
  size_t part = 0;             ///< of the next one: made
  std::vector<Moving> moving;  ///< is to be exchanged before it goes on; empty: it is through
  bool exchanged = false;      ///< that has been done
  std::vector<Array> arrived;  ///< what came of what the part before moved
};

/// A layer that its ranks share, each of whose passes comes in parts: what a part leaves in
/// progress.moving is exchanged before the next, which finds it in progress.arrived; the last part
/// leaves nothing. Forward and input_gradient work on progress.x.
class SharedLayer {
 public:
  virtual ~SharedLayer() = default;
  virtual int64_t parameters() const { return 0; }
  virtual void forward(const Call& call, Progress& progress) const = 0;
  virtual void input_gradient(const Call& call, Progress& progress) const = 0;
  virtual void weight_gradient(const Call&, const Tensor&, Progress&) const {}
};

using SharedLayerPointer = std::unique_ptr<const SharedLayer>;

struct Step {
  enum class Kind : uint8_t {
    layer,
    fork,  ///< what is here now is added again at the next join
    join,
    enter,
    leave,
    softmax,  ///< Exchange::softmax in the forward pass, nothing in the backward
              ///< one
    shared,
  };
  Kind kind = Kind::layer;
  LayerPointer layer = nullptr;
  SharedLayerPointer shared = nullptr;

  int64_t parameters() const;
};

class Sequence {
 public:
  Sequence() = default;
  /// backward() goes through both halves of what follows each of `cuts` before it goes on to what
  /// comes before; the first is 0.
  explicit Sequence(std::vector<Step> steps, const std::vector<size_t>& cuts = {0});

  int64_t parameters() const { return offsets_.empty() ? 0 : offsets_.back(); }
  /// Goes from progress.x as far as the next exchange or the end; called once more after an
  /// exchange.
  void forward(const Call& call, Progress& progress) const;
  void input_gradient(const Call& call, Progress& progress) const;
  void weight_gradient(const Call& call, const Tensor& gradients, Progress& progress) const;
  /// Runs both halves of the backward pass.
  void backward(const Call& call, const Tensor& gradients, Progress& progress) const;

 private:
  /// A step in a pass.
  struct Turn {
    size_t step = 0;
    enum class Half : uint8_t { forward, input, weights } half = Half::forward;
  };
  using Turns = std::vector<Turn>;
  void go(const Turns& turns, const Call& call, const Tensor& gradients, Progress& progress) const;
  void make(const Turn& turn, const Call& call, const Tensor& gradients, Progress& progress) const;
  void make_shared(const Turn& turn, const Call& call, const Tensor& gradients,
                   Progress& progress) const;
  void make_layer(const Turn& turn, const Call& call, const Tensor& gradients,
                  Progress& progress) const;
  Tensor weights_of(const Tensor& all, size_t step) const;
  Call part(const Call& call, size_t step) const;

  std::vector<Step> steps_;
  std::vector<int64_t> offsets_;  ///< of every step's weights, and of the end
  Turns forward_, input_, weights_, backward_;
};

/// A sequence of one.
Sequence whole(LayerPointer layer);

}  // namespace pipewright::train
