// The ends of a language model whose vocabulary is cut over a tensor-parallel group (Shoeybi et
// al., arXiv 1909.08053): each rank looks up its own tokens and leaves the others' rows 0; each
// works out its own logits, and of every row only three numbers are exchanged.
#include "calibrate/train/parallel/part_layers.hpp"

#include <algorithm>
#include <cmath>

#include "calibrate/train/layers/host_numbers.hpp"

namespace pipewright::train {
namespace {

class EmbeddingPart final : public Layer {
 public:
  EmbeddingPart(int64_t first, int64_t count, int64_t width)
      : first_(first), count_(count), width_(width) {}

  int64_t parameters() const override { return count_ * width_; }

  Array forward(const Call& call, const Array&) const override {
    Array y = call.kernels.array(call.batch.rows(), width_);
    call.kernels.zero(y);
    for_own(call, [&](int64_t row, int64_t token) {
      call.kernels.copy(table(call.weights).row_range(token, 1), y.tensor.row_range(row, 1));
    });
    return y;
  }
  Array input_gradient(const Call& call, const Array& dy) const override {
    call.stash.of(call.batch) = {dy};
    return {};
  }
  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    for_own(call, [&](int64_t row, int64_t token) {
      call.kernels.add(1, kept[0].tensor.row_range(row, 1), table(gradients).row_range(token, 1));
    });
    kept.clear();
  }

 private:
  Tensor table(const Tensor& weights) const { return {weights.data, count_, width_, width_}; }
  /// Calls with row and place in the table of every token that is here.
  template <class F>
  void for_own(const Call& call, F&& body) const {
    for (int64_t row = 0; row < call.batch.rows(); ++row) {
      const int64_t token = call.batch.inputs[static_cast<size_t>(row)] - first_;
      if (token >= 0 && token < count_) body(row, token);
    }
  }
  int64_t first_, count_, width_;
};

class PositionTable final : public Layer {
 public:
  PositionTable(int64_t count, int64_t width) : count_(count), width_(width) {}

  int64_t parameters() const override { return count_ * width_; }

  Array forward(const Call& call, const Array& x) const override {
    Array y = call.kernels.array(x.tensor.rows, width_);
    call.kernels.copy(x, y);
    for (int s = 0; s < call.batch.sequences; ++s)
      call.kernels.add(1, rows(call, call.weights), of_sequence(call, y, s));
    return y;
  }
  Array input_gradient(const Call& call, const Array& dy) const override {
    call.stash.of(call.batch) = {dy};
    return dy;
  }
  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    for (int s = 0; s < call.batch.sequences; ++s)
      call.kernels.add(1, of_sequence(call, kept[0], s), rows(call, gradients));
    kept.clear();
  }

 private:
  Tensor rows(const Call& call, const Tensor& weights) const {
    return Tensor{weights.data, count_, width_, width_}.row_range(call.batch.first,
                                                                  call.batch.tokens);
  }
  static Tensor of_sequence(const Call& call, const Tensor& x, int s) {
    return x.row_range(int64_t{s} * call.batch.tokens, call.batch.tokens);
  }
  int64_t count_, width_;
};

class Bias final : public Layer {
 public:
  explicit Bias(int64_t width) : width_(width) {}

  int64_t parameters() const override { return width_; }
  Array forward(const Call& call, const Array& x) const override {
    Array y = call.kernels.array(x.tensor.rows, width_);
    call.kernels.copy(x, y);
    call.kernels.add_bias(call.weights, y);
    return y;
  }
  Array input_gradient(const Call& call, const Array& dy) const override {
    call.stash.of(call.batch) = {dy};
    return dy;
  }
  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    call.kernels.add_rows(call.stash.of(call.batch)[0], gradients);
    call.stash.of(call.batch).clear();
  }

 private:
  int64_t width_;
};

/// Puts a row's maximum, sum of exponentials above it and target's logit behind its logits.
class SoftmaxStatistics final : public Layer {
 public:
  SoftmaxStatistics(int64_t first, int64_t count) : first_(first), count_(count) {}

  Array forward(const Call& call, const Array& x) const override {
    std::vector<float> logits = numbers_of(call.kernels, x), statistics;
    for (int64_t row = 0; row < x.tensor.rows; ++row) {
      const float* begin = logits.data() + row * count_;
      const float highest = *std::max_element(begin, begin + count_);
      double sum = 0;
      for (int64_t k = 0; k < count_; ++k) sum += std::exp(begin[k] - highest);
      const int64_t target = call.batch.targets[static_cast<size_t>(row)] - first_;
      const bool is_here = target >= 0 && target < count_;
      statistics.insert(statistics.end(),
                        {highest, static_cast<float>(sum), is_here ? begin[target] : 0});
    }
    Array y = call.kernels.array(x.tensor.rows, count_ + 3);
    call.kernels.copy(x, y.tensor.column_range(0, count_));
    call.kernels.upload(statistics, y.tensor.column_range(count_, 3));
    return y;
  }
  Array input_gradient(const Call&, const Array& dy) const override { return dy; }
  void weight_gradient(const Call&, const Tensor&) const override {}

 private:
  int64_t first_, count_;
};

/// Computes the loss from logits with the statistics of their whole rows.
class PartLoss final : public Layer {
 public:
  PartLoss(int64_t first, int64_t count) : first_(first), count_(count) {}

  Array forward(const Call& call, const Array& x) const override {
    const double scale = call.batch.loss_scale;
    std::vector<float> numbers = numbers_of(call.kernels, x), gradient;
    double total = 0;
    for (int64_t row = 0; row < x.tensor.rows; ++row) {
      const float* begin = numbers.data() + row * (count_ + 3);
      const float highest = begin[count_], sum = begin[count_ + 1], target = begin[count_ + 2];
      total += std::log(sum) + highest - target;
      const int64_t own = call.batch.targets[static_cast<size_t>(row)] - first_;
      for (int64_t k = 0; k < count_; ++k)
        gradient.push_back(static_cast<float>(
            scale * (std::exp(begin[k] - highest) / sum - (k == own ? 1.0 : 0.0))));
    }
    Array d_logits = call.kernels.array(x.tensor.rows, count_), loss = call.kernels.array(1, 1);
    call.kernels.upload(gradient, d_logits);
    call.kernels.upload(std::vector<float>{static_cast<float>(scale * total)}, loss);
    call.stash.of(call.batch) = {d_logits};
    return loss;
  }
  Array input_gradient(const Call& call, const Array&) const override {
    Array d_logits = call.stash.of(call.batch)[0];
    call.stash.of(call.batch).clear();
    return d_logits;
  }
  void weight_gradient(const Call&, const Tensor&) const override {}

 private:
  int64_t first_, count_;
};

}  // namespace

LayerPointer embedding_part(int64_t first, int64_t count, int64_t width) {
  return std::make_unique<EmbeddingPart>(first, count, width);
}
LayerPointer position_table(int64_t count, int64_t width) {
  return std::make_unique<PositionTable>(count, width);
}
LayerPointer bias(int64_t width) { return std::make_unique<Bias>(width); }
LayerPointer softmax_statistics(int64_t first, int64_t count) {
  return std::make_unique<SoftmaxStatistics>(first, count);
}
LayerPointer part_loss(int64_t first, int64_t count) {
  return std::make_unique<PartLoss>(first, count);
}

}  // namespace pipewright::train
