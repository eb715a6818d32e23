#include "calibrate/train/parallel/own_sequences.hpp"

namespace pipewright::train {
namespace {

class OverSequences final : public Layer {
 public:
  OverSequences(LayerPointer inner, int part, int parts)
      : inner_(std::move(inner)), part_(part), parts_(parts) {}

  int64_t parameters() const override { return inner_->parameters(); }
  Array forward(const Call& call, const Array& x) const override {
    const Batch own = sequences_of(call.batch, part_, parts_);
    return inner_->forward({call.kernels, call.weights, own, call.stash}, x);
  }
  Array input_gradient(const Call& call, const Array& dy) const override {
    const Batch own = sequences_of(call.batch, part_, parts_);
    return inner_->input_gradient({call.kernels, call.weights, own, call.stash}, dy);
  }
  void weight_gradient(const Call& call, const Tensor& gradients) const override {
    const Batch own = sequences_of(call.batch, part_, parts_);
    inner_->weight_gradient({call.kernels, call.weights, own, call.stash}, gradients);
  }

 private:
  LayerPointer inner_;
  int part_, parts_;
};

}  // namespace

Batch sequences_of(const Batch& batch, int part, int parts) {
  Batch own = batch;
  own.sequences = batch.sequences / parts;
  const auto cut = [&](std::vector<int32_t>& tokens) {
    const size_t count = tokens.size() / static_cast<size_t>(parts);
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(count) * part;
    tokens = std::vector<int32_t>(first, first + static_cast<std::ptrdiff_t>(count));
  };
  cut(own.inputs);
  cut(own.targets);
  return own;
}

LayerPointer over_sequences(LayerPointer inner, int part, int parts) {
  return std::make_unique<OverSequences>(std::move(inner), part, parts);
}

}  // namespace pipewright::train
