// A linear layer on q x q devices (2d), or on d such squares (2.5d), by SUMMA.
//
// Device (row y, column x) of square z has X[m / q d, k / q], W[k / q, n / q] and Y[m / q d, n /
// q]; squares hold the same weights and different rows. Each of q steps broadcasts blocks and
// multiplies:
//   Y  += X_s W_s        X_s along the row, W_s along the column
//   dX  = dY W_s^T       W_s along the column; the sums reduced along the row
//   dW  = X_s^T dY       X_s along the row; the sums reduced along the column
// and 2.5d adds up dW over the squares. Bytes per device, e of a number, whole buffers:
//   forward   e (m k / q d + k n / q)     backward   twice X's and W's as above for k n and m k
// Sources: van de Geijn, Watts, SUMMA, 1997; Xu et al., Optimus, arXiv 2104.05343; Wang et al.,
// Tesseract, arXiv 2105.14500.
// Assumes: a step waits for its broadcasts; blocks that came are not kept. Biases and vectors of
// norms are whole on every device, their sums over rows left out.
#include "base/units.hpp"
#include "workload/transformer/tensor_grid.hpp"

namespace pipewright::transformer {
namespace {

/// One device's blocks.
struct Blocks {
  int64_t m, n, k;
  double x, y, w;  ///< numbers
};

class Summa {
 public:
  Summa(const Share& share, const GridProduct& product)
      : share_(share), product_(product), q_(share.options.tensor_grid.sides[0]) {
    const int64_t layers = share.options.tensor_grid.sides[2];
    b_ = {.m = product.m / (q_ * layers), .n = product.n / q_, .k = product.k / q_};
    b_.x = as_double(b_.m) * as_double(b_.k);
    b_.y = as_double(b_.m) * as_double(b_.n);
    b_.w = as_double(b_.k) * as_double(b_.n);
  }

  Operation run() {
    Operation operation;
    for (int64_t step = 0; step < q_; ++step) {
      add_forward(operation);
      add_input_gradient(operation);
      add_weight_gradient(operation);
    }
    if (share_.options.tensor_grid.sides[2] > 1)
      operation.weight_gradient_steps.push_back(
          over(CollectiveKind::all_reduce, Axis::tensor_depth, gradient()));
    operation.device_parameters = b_.w;
    return operation;
  }

 private:
  double gradient() const { return element_bytes(share_.options.gradients) * b_.w; }
  Segment over(CollectiveKind kind, Axis axis, double bytes) const {
    return {.collective = CollectiveWork{kind, axis, whole_bytes(bytes)}};
  }
  Segment send_x() const {
    return over(CollectiveKind::broadcast, Axis::tensor_row, share_.operand * b_.x);
  }
  Segment send_w() const {
    return over(CollectiveKind::broadcast, Axis::tensor_column, share_.operand * b_.w);
  }

  void add_forward(Operation& operation) const {
    Segments& steps = operation.forward_steps;
    if (!product_.picks_rows) steps.push_back(send_x());
    steps.push_back(send_w());
    if (product_.picks_rows) return;
    steps.push_back({.kernels = {gemm(share_.product, Direction::forward, {1, b_.m, b_.n, b_.k},
                                      share_.operand * (b_.x + b_.w), share_.element * b_.y)}});
  }
  void add_input_gradient(Operation& operation) const {
    if (product_.picks_rows) return;
    Segments& steps = operation.input_gradient_steps;
    steps.push_back(send_w());
    Segment product = over(CollectiveKind::reduce, Axis::tensor_row, share_.element * b_.x);
    product.kernels = {gemm(share_.product, Direction::input_gradient, {1, b_.m, b_.k, b_.n},
                            share_.operand * (b_.y + b_.w), share_.element * b_.x)};
    steps.push_back(std::move(product));
  }
  void add_weight_gradient(Operation& operation) const {
    Segments& steps = operation.weight_gradient_steps;
    if (!product_.picks_rows) steps.push_back(send_x());
    Segment product = over(CollectiveKind::reduce, Axis::tensor_column, gradient());
    if (!product_.picks_rows)
      product.kernels = {gemm(share_.product, Direction::weight_gradient, {1, b_.n, b_.k, b_.m},
                              share_.operand * (b_.x + b_.y), gradient())};
    steps.push_back(std::move(product));
  }

  const Share& share_;
  const GridProduct& product_;
  int64_t q_;
  Blocks b_{};
};

}  // namespace

Operation on_square(const Share& share, const GridProduct& product) {
  return Summa(share, product).run();
}

}  // namespace pipewright::transformer
