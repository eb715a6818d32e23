// A linear layer on a cube of l x l x l devices (3d).
//
// Rank x + l (y + l z) has 1 / l^3 of X[m, k], W[k, n] and Y[m, n]. X is gathered over y, W over x,
// the product's partial sums are reduced and scattered over z; the next layer takes its input as it
// lies, with y and z the other way round:
//   X' = all_gather_y X    W' = all_gather_x W    Y = reduce_scatter_z X' W'
//   dY' = all_gather_z dY  dX = reduce_scatter_y dY' W'^T     dW = reduce_scatter_x X'^T dY'
// with X'[m / l, k / l], W'[k / l, n / l], Y'[m / l, n / l]. Bytes of the whole buffers per device,
// e of a number:  forward e (m k + k n + m n) / l^2, backward e (m n + m k) / l^2 + g k n / l^2, g
// of a gradient. X' and W' are kept for the backward pass, as the authors' code does. Source: Bian,
// Xu, Wang, You, arXiv 2105.14450, and their Colossal-AI. Assumes: nothing is hidden behind
// anything else. Biases and vectors of norms are whole on every device, their sums over rows left
// out.
#include "base/units.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright::transformer {
namespace {

class Cube {
 public:
  Cube(const Share& share, const GridProduct& product)
      : share_(share),
        picks_rows_(product.picks_rows),
        in_(product.turned ? Axis::tensor_depth : Axis::tensor_column),
        out_(product.turned ? Axis::tensor_column : Axis::tensor_depth) {
    const int64_t l = share.options.tensor_grid.sides[0];
    l_ = as_double(l);
    m_ = product.m / l;
    n_ = product.n / l;
    k_ = product.k / l;
    x_ = picks_rows_ ? 0 : as_double(m_) * as_double(k_);
    y_ = as_double(m_) * as_double(n_);
    w_ = as_double(k_) * as_double(n_);
  }

  Operation run() const {
    Operation operation;
    add_forward(operation);
    add_backward(operation);
    operation.saved = share_.operand * (x_ + w_);
    operation.device_parameters = w_ / l_;
    return operation;
  }

 private:
  static Segment over(CollectiveKind kind, Axis axis, double bytes) {
    return {.collective = CollectiveWork{kind, axis, whole_bytes(bytes)}};
  }
  double gradient() const { return element_bytes(share_.options.gradients) * w_; }

  void add_forward(Operation& operation) const {
    Segments& steps = operation.forward_steps;
    if (!picks_rows_) steps.push_back(over(CollectiveKind::all_gather, in_, share_.operand * x_));
    steps.push_back(over(CollectiveKind::all_gather, Axis::tensor_row, share_.operand * w_));
    Segment product = over(CollectiveKind::reduce_scatter, out_, share_.element * y_);
    if (!picks_rows_)
      product.kernels = {gemm(share_.product, Direction::forward, {1, m_, n_, k_},
                              share_.operand * (x_ + w_), share_.element * y_)};
    steps.push_back(std::move(product));
  }

  void add_backward(Operation& operation) const {
    Segments& steps = operation.input_gradient_steps;
    steps.push_back(over(CollectiveKind::all_gather, out_, share_.element * y_));
    Segment weights = over(CollectiveKind::reduce_scatter, Axis::tensor_row, gradient());
    if (!picks_rows_) {
      Segment input = over(CollectiveKind::reduce_scatter, in_, share_.element * x_);
      input.kernels = {gemm(share_.product, Direction::input_gradient, {1, m_, k_, n_},
                            share_.operand * (y_ + w_), share_.element * x_)};
      steps.push_back(std::move(input));
      weights.kernels = {gemm(share_.product, Direction::weight_gradient, {1, n_, k_, m_},
                              share_.operand * (x_ + y_), gradient())};
    }
    operation.weight_gradient_steps.push_back(std::move(weights));
  }

  const Share& share_;
  bool picks_rows_;
  Axis in_, out_;
  double l_ = 1, x_ = 0, y_ = 0, w_ = 0;
  int64_t m_ = 0, n_ = 0, k_ = 0;
};

}  // namespace

Operation on_cube(const Share& share, const GridProduct& product) {
  return Cube(share, product).run();
}

}  // namespace pipewright::transformer
