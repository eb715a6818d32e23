#include "calibrate/train/reference/stage_state.hpp"

#include "base/error.hpp"

namespace pipewright::train {

StageState::StageState(const Stage& stage, Kernels& kernels, const OptimizerOptions& optimizer,
                       std::vector<int> reads, int steps, int micro_batches, bool predicts)
    : stage_(stage),
      kernels_(kernels),
      optimizer_(optimizer, kernels, stage.parameters()),
      predicts_(predicts),
      reads_(std::move(reads)),
      gradients_(static_cast<size_t>(steps)),
      stashes_(static_cast<size_t>(micro_batches)) {
  reads_.resize(static_cast<size_t>(steps) + 1);
  Version& initial = versions_.emplace_back();
  initial.weights = kernels.array(1, stage.parameters());
  kernels.upload(stage.initial, initial.weights);
  if (predicts_) initial.direction = optimizer_.direction();
}

Array StageState::read(const Reads& reads) const {
  ensure(static_cast<size_t>(reads.version) < versions_.size(), "a version is read after its step");
  const Version& version = versions_[static_cast<size_t>(reads.version)];
  ensure(static_cast<bool>(version.weights), "a version is kept until its last reader");
  if (reads.ahead == 0) return version.weights;
  Array predicted = kernels_.array(1, stage_.parameters());
  kernels_.copy(version.weights, predicted);
  kernels_.add(-optimizer_.learning_rate() * reads.ahead, version.direction, predicted);
  return predicted;
}

void StageState::was_read(int version) {
  const bool newest = static_cast<size_t>(version) + 1 == versions_.size();
  if (--reads_[static_cast<size_t>(version)] == 0 && !newest)
    versions_[static_cast<size_t>(version)] = {};
}

void StageState::forward(const Reads& reads, int micro_batch, const Batch& batch,
                         Progress& progress) {
  const Array weights = read(reads);
  stage_.layers.forward(call(weights, batch, stashes_[micro_batch]), progress);
}

void StageState::input_gradient(const Reads& reads, int micro_batch, const Batch& batch,
                                Progress& progress) {
  const Array weights = read(reads);
  stage_.layers.input_gradient(call(weights, batch, stashes_[micro_batch]), progress);
}

void StageState::weight_gradient(const Reads& reads, int micro_batch, const Batch& batch, int step,
                                 Progress& progress) {
  const Array weights = read(reads);
  stage_.layers.weight_gradient(call(weights, batch, stashes_[micro_batch]), gradient(step),
                                progress);
}

void StageState::backward(const Reads& reads, int micro_batch, const Batch& batch, int step,
                          Progress& progress) {
  const Array weights = read(reads);
  stage_.layers.backward(call(weights, batch, stashes_[micro_batch]), gradient(step), progress);
}

Tensor StageState::gradient(int step) {
  Array& gradient = gradients_[static_cast<size_t>(step)];
  if (!gradient) {
    gradient = kernels_.array(1, stage_.parameters());
    kernels_.zero(gradient);
  }
  return gradient;
}

void StageState::step(int step) {
  const auto newest = static_cast<size_t>(step);
  ensure(newest + 1 == versions_.size(), "steps are made in order");
  Version next{kernels_.array(1, stage_.parameters()), {}};
  kernels_.copy(versions_[newest].weights, next.weights);
  optimizer_.step(gradient(step), next.weights);
  if (predicts_) next.direction = optimizer_.direction();
  gradients_[newest] = {};
  if (reads_[newest] == 0) versions_[newest] = {};
  versions_.push_back(std::move(next));
}

}  // namespace pipewright::train
