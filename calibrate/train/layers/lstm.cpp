// The state with which a slice begins is kept by slice, so that its forward pass may run again;
// gradients of the states go from slice to slice in reverse.
#include <cmath>

#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

using Form = Kernels::Form;

class Lstm final : public Layer {
 public:
  Lstm(int64_t in, int64_t hidden) : in_(in), hidden_(hidden) {}

  int64_t parameters() const override { return 4 * hidden_ * (in_ + hidden_ + 2); }

  void initialize(Random& random, std::span<float> weights) const override {
    const double deviation = 1 / std::sqrt(static_cast<double>(hidden_));
    for (int64_t i = 0; i < parameters(); ++i)
      weights[i] =
          i < 4 * hidden_ * (in_ + hidden_) ? static_cast<float>(deviation * random.normal()) : 0;
  }

  Array forward(const Call& call, const Array& x) const override {
    Array gates = call.kernels.array(x.tensor.rows, 4 * hidden_);
    const Array c = call.kernels.array(x.tensor.rows, hidden_);
    Array y = call.kernels.array(x.tensor.rows, hidden_);
    call.kernels.multiply(x, Form::plain, of_input(call.weights), Form::transposed, gates, false);
    for (int k = 0; k < 2; ++k) call.kernels.add_bias(bias(call.weights, k), gates);
    const Array first_y = begin(call, 0), first_c = begin(call, 1);
    for (int t = 0; t < call.batch.tokens; ++t) {
      call.kernels.multiply(before(call, first_y, y, t), Form::plain, of_state(call.weights),
                            Form::transposed, at(call, gates, t), true);
      call.kernels.lstm_cell(at(call, gates, t), before(call, first_c, c, t), at(call, c, t),
                             at(call, y, t));
    }
    end(call, y, c);
    call.stash.of(call.batch) = {x, gates, c, y, first_y, first_c};
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    Array d_sums = call.kernels.array(dy.tensor.rows, 4 * hidden_);
    const Array d_state = gradient(call, 0), dc = gradient(call, 1);
    for (int t = call.batch.tokens; t-- > 0;) {
      call.kernels.add(1, at(call, dy, t), d_state);
      call.kernels.lstm_cell_gradient(at(call, kept[1], t), before(call, kept[5], kept[2], t),
                                      at(call, kept[2], t), d_state, dc, at(call, d_sums, t));
      call.kernels.multiply(at(call, d_sums, t), Form::plain, of_state(call.weights), Form::plain,
                            d_state, false);
    }
    if (call.batch.slice == 0) call.stash.shared.clear();  // the last to go backward
    Array dx = call.kernels.array(dy.tensor.rows, in_);
    call.kernels.multiply(d_sums, Form::plain, of_input(call.weights), Form::plain, dx, false);
    kept.push_back(std::move(d_sums));
    return dx;
  }

  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    const Array &x = kept[0], &y = kept[3], &first_y = kept[4], &d_sums = kept[6];
    call.kernels.multiply(d_sums, Form::transposed, x, Form::plain, of_input(gradients), true);
    for (int t = 0; t < call.batch.tokens; ++t)
      call.kernels.multiply(at(call, d_sums, t), Form::transposed, before(call, first_y, y, t),
                            Form::plain, of_state(gradients), true);
    for (int k = 0; k < 2; ++k) call.kernels.add_rows(d_sums, bias(gradients, k));
    kept.clear();
  }

 private:
  Tensor of_input(const Tensor& weights) const { return {weights.data, 4 * hidden_, in_, in_}; }
  Tensor of_state(const Tensor& weights) const {
    return {weights.data + 4 * hidden_ * in_, 4 * hidden_, hidden_, hidden_};
  }
  Tensor bias(const Tensor& weights, int k) const {
    return {weights.data + 4 * hidden_ * (in_ + hidden_ + k), 1, 4 * hidden_, 4 * hidden_};
  }

  /// Token t of every sequence.
  static Tensor at(const Call& call, const Tensor& x, int t) {
    return {x.data + t * x.stride, call.batch.sequences, x.columns, call.batch.tokens * x.stride};
  }
  /// Returns the numbers of what comes before step t, `first` before the slice's first.
  static Tensor before(const Call& call, const Tensor& first, const Tensor& x, int t) {
    return t == 0 ? first : at(call, x, t - 1);
  }

  // --- what slices hand on: two states by slice, then their gradients ---

  static Array& shared(const Call& call, int slice, int which) {
    std::vector<Array>& all = call.stash.shared;
    if (all.empty()) all.resize(2 * static_cast<size_t>(call.batch.slices + 2));
    return all[2 * static_cast<size_t>(slice) + static_cast<size_t>(which)];
  }

  Array zeros_if_none(const Call& call, Array& array) const {
    if (!array) {
      array = call.kernels.array(call.batch.sequences, hidden_);
      call.kernels.zero(array);
    }
    return array;
  }
  Array begin(const Call& call, int which) const {
    return zeros_if_none(call, shared(call, call.batch.slice, which));
  }
  Array gradient(const Call& call, int which) const {
    return zeros_if_none(call, shared(call, call.batch.slices + 1, which));
  }
  void end(const Call& call, const Tensor& y, const Tensor& c) const {
    for (const int which : {0, 1}) {
      Array state = call.kernels.array(call.batch.sequences, hidden_);
      call.kernels.copy(at(call, which == 0 ? y : c, call.batch.tokens - 1), state);
      shared(call, call.batch.slice + 1, which) = std::move(state);
    }
  }

  int64_t in_, hidden_;
};

}  // namespace

LayerPointer lstm(int64_t in, int64_t hidden) { return std::make_unique<Lstm>(in, hidden); }

}  // namespace pipewright::train
