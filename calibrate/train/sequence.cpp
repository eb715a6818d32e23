#include "calibrate/train/sequence.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace pipewright::train {
namespace {

using Kind = Step::Kind;

Exchange exchange_of(Kind kind, bool forward) {
  if (kind == (forward ? Kind::leave : Kind::enter)) return Exchange::sum;
  return forward && kind == Kind::softmax ? Exchange::softmax : Exchange::none;
}

/// In a new array: others may keep both.
Array sum(Kernels& kernels, const Array& a, const Array& b) {
  Array to = kernels.array(a.tensor.rows, a.tensor.columns);
  kernels.copy(a, to);
  kernels.add(1, b, to);
  return to;
}

void end_branch(Kernels& kernels, Progress& progress) {
  progress.x = sum(kernels, progress.x, progress.forked.back());
  progress.forked.pop_back();
}

}  // namespace

Sequence::Sequence(std::vector<Step> steps) : steps_(std::move(steps)), offsets_{0} {
  for (const Step& step : steps_)
    offsets_.push_back(offsets_.back() + (step.layer ? step.layer->parameters() : 0));
}

int Sequence::exchanges(bool forward) const {
  int count = 0;
  for (const Step& step : steps_) count += exchange_of(step.kind, forward) != Exchange::none;
  return count;
}

Call Sequence::part(const Call& call, size_t step) const {
  call.stash.parts.resize(steps_.size());
  return {call.kernels,
          call.weights.column_range(offsets_[step], offsets_[step + 1] - offsets_[step]),
          call.batch, call.stash.parts[step]};
}

void Sequence::forward(const Call& call, Progress& progress) const {
  progress.waits_for = Exchange::none;
  while (progress.steps < steps_.size() && progress.waits_for == Exchange::none) {
    const size_t at = progress.steps++;
    const Kind kind = steps_[at].kind;
    if (kind == Kind::layer) progress.x = steps_[at].layer->forward(part(call, at), progress.x);
    if (kind == Kind::fork) progress.forked.push_back(progress.x);
    if (kind == Kind::join) end_branch(call.kernels, progress);
    progress.waits_for = exchange_of(kind, true);
  }
}

void Sequence::input_gradient(const Call& call, Progress& progress) const {
  progress.waits_for = Exchange::none;
  while (progress.steps < steps_.size() && progress.waits_for == Exchange::none) {
    const size_t at = steps_.size() - ++progress.steps;
    const Kind kind = steps_[at].kind;
    if (kind == Kind::layer)
      progress.x = steps_[at].layer->input_gradient(part(call, at), progress.x);
    if (kind == Kind::join) progress.forked.push_back(progress.x);
    if (kind == Kind::fork) end_branch(call.kernels, progress);
    progress.waits_for = exchange_of(kind, false);
  }
}

void Sequence::weight_gradient(const Call& call, const Tensor& gradients) const {
  for (size_t at = 0; at < steps_.size(); ++at) {
    if (!steps_[at].layer) continue;
    steps_[at].layer->weight_gradient(
        part(call, at), gradients.column_range(offsets_[at], offsets_[at + 1] - offsets_[at]));
  }
}

void join_softmax(Kernels& kernels, const std::vector<Tensor>& parts) {
  const auto statistics = [](const Tensor& part) { return part.column_range(part.columns - 3, 3); };
  const auto rows = static_cast<size_t>(parts.front().rows);
  std::vector<std::vector<float>> all;
  for (const Tensor& part : parts) kernels.download(statistics(part), all.emplace_back(3 * rows));
  std::vector<float> joined(3 * rows);
  for (size_t row = 0; row < rows; ++row) {
    float* to = joined.data() + 3 * row;
    to[0] = all.front()[3 * row];
    for (const std::vector<float>& one : all) to[0] = std::max(to[0], one[3 * row]);
    for (const std::vector<float>& one : all) {
      to[1] += one[3 * row + 1] * std::exp(one[3 * row] - to[0]);
      to[2] += one[3 * row + 2];
    }
  }
  for (const Tensor& part : parts) kernels.upload(joined, statistics(part));
}

Sequence whole(LayerPointer layer) {
  std::vector<Step> steps;
  steps.push_back({Step::Kind::layer, std::move(layer)});
  return Sequence(std::move(steps));
}

}  // namespace pipewright::train
