#include "base/error.hpp"
#include "calibrate/train/layers/host_numbers.hpp"
#include "calibrate/train/parallel/cube_layers.hpp"

namespace pipewright::train {
namespace {

using Form = Kernels::Form;

class CubeProduct final : public SharedLayer {
 public:
  explicit CubeProduct(const CubeProductShape& shape)
      : s_(shape), vectors_(shape.normed ? 2 * shape.in : 0), part_(s_.in * s_.out / s_.side) {
    ensure(s_.in * s_.out % s_.side == 0, "ranks have parts of the same size");
  }

  int64_t parameters() const override { return vectors_ + part_ + (s_.bias ? s_.out : 0); }

  void forward(const Call& call, Progress& at) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    Kernels& kernels = call.kernels;
    if (at.part == 0) {
      at.moving = {{Exchange::gather, with_columns(at.x, at.x.tensor.size())}};
    } else if (at.part == 1) {
      kept = {with_columns(at.arrived[0], s_.in)};
      Array own = kernels.array(1, part_);
      kernels.copy(call.weights.column_range(vectors_, part_), own);
      at.moving = {{Exchange::gather, std::move(own)}};
    } else if (at.part == 2) {
      kept.push_back(with_columns(at.arrived[0], s_.in));
      kept.push_back(s_.normed ? scaled(call, kept[input], true) : kept[input]);
      Array y = kernels.array(kept[input].tensor.rows, s_.out);
      kernels.multiply(kept[operand], Form::plain, kept[weight], Form::transposed, y, false);
      at.moving = {{Exchange::scatter, with_columns(y, y.tensor.size())}};
    } else {
      at.x = with_columns(at.arrived[0], s_.out);
      if (s_.bias) kernels.add_bias(call.weights.column_range(vectors_ + part_, s_.out), at.x);
    }
  }

  void input_gradient(const Call& call, Progress& at) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    Kernels& kernels = call.kernels;
    if (at.part == 0) {
      at.moving = {{Exchange::gather, with_columns(at.x, at.x.tensor.size())}};
    } else if (at.part == 1) {
      kept.push_back(with_columns(at.arrived[0], s_.out));
      Array dx = kernels.array(kept[output].tensor.rows, s_.in);
      kernels.multiply(kept[output], Form::plain, kept[weight], Form::plain, dx, false);
      const Array sums = s_.normed ? gradients_of_norm(kernels, dx, kept[input]) : Array{};
      if (s_.normed) dx = scaled(call, dx, false);
      at.moving = {{Exchange::scatter, with_columns(dx, dx.tensor.size())}};
      if (s_.normed) at.moving.push_back({Exchange::sum, sums});
    } else {
      at.x = with_columns(at.arrived[0], s_.in);
      if (s_.normed) kept.push_back(at.arrived[1]);
    }
  }

  void weight_gradient(const Call& call, const Tensor& gradients, Progress& at) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    Kernels& kernels = call.kernels;
    if (at.part == 0) {
      Array dw = kernels.array(s_.out, s_.in);
      kernels.multiply(kept[output], Form::transposed, kept[operand], Form::plain, dw, false);
      at.moving = {{Exchange::scatter, with_columns(dw, dw.tensor.size())}};
      if (s_.normed) at.moving.push_back({Exchange::sum, kept[of_norm]});
      if (s_.bias) at.moving.push_back({Exchange::sum, sum_of_rows(kernels, kept[output])});
    } else {
      kernels.add(1, at.arrived[0], gradients.column_range(vectors_, part_));
      if (s_.normed) kernels.add(1, at.arrived[1], gradients.column_range(0, vectors_));
      if (s_.bias)
        kernels.add(1, at.arrived.back(), gradients.column_range(vectors_ + part_, s_.out));
      kept.clear();
    }
  }

 private:
  // What is kept, in this order: the last two of the backward pass.
  enum : size_t { input, weight, operand, output, of_norm };

  /// Columns times the norm's gain, plus its bias where `shifted`.
  Array scaled(const Call& call, const Array& x, bool shifted) const {
    std::vector<float> numbers = numbers_of(call.kernels, x);
    const std::vector<float> vectors =
        numbers_of(call.kernels, call.weights.column_range(0, vectors_));
    const auto width = static_cast<size_t>(s_.in);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = numbers[i] * vectors[i % width] + (shifted ? vectors[width + i % width] : 0);
    return array_of(call.kernels, numbers, s_.in);
  }

  /// Returns the gradients of gain and bias, from these rows.
  Array gradients_of_norm(Kernels& kernels, const Array& dy, const Array& normal) const {
    const std::vector<float> d = numbers_of(kernels, dy), n = numbers_of(kernels, normal);
    const auto width = static_cast<size_t>(s_.in);
    std::vector<double> sums(2 * width);
    for (size_t i = 0; i < d.size(); ++i) {
      sums[i % width] += double{d[i]} * n[i];
      sums[width + i % width] += d[i];
    }
    return array_of(kernels, std::vector<float>(sums.begin(), sums.end()), vectors_);
  }

  static Array sum_of_rows(Kernels& kernels, const Array& x) {
    Array sum = kernels.array(1, x.tensor.columns);
    kernels.zero(sum);
    kernels.add_rows(x, sum);
    return sum;
  }

  CubeProductShape s_;
  int64_t vectors_, part_;  ///< numbers of the norm, and of W
};

}  // namespace

SharedLayerPointer cube_product(const CubeProductShape& shape) {
  return std::make_unique<CubeProduct>(shape);
}

}  // namespace pipewright::train
