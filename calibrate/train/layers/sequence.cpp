#include "calibrate/train/layers/sequence.hpp"

#include <optional>
#include <utility>

namespace pipewright::train {
namespace {

using Kind = Step::Kind;

std::optional<Exchange> exchange_of(Kind kind, bool forward) {
  if (kind == (forward ? Kind::leave : Kind::enter)) return Exchange::sum;
  if (forward && kind == Kind::softmax) return Exchange::softmax;
  return {};
}

/// Returns the sum in a new array: others may keep both.
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

void exchange(Exchange how, Progress& progress) {
  if (progress.part == 0)
    progress.moving = {{how, progress.x}};
  else
    progress.x = progress.arrived[0];
}

}  // namespace

int64_t Step::parameters() const {
  if (layer) return layer->parameters();
  return shared ? shared->parameters() : 0;
}

Sequence::Sequence(std::vector<Step> steps, const std::vector<size_t>& cuts)
    : steps_(std::move(steps)), offsets_{0} {
  using Half = Turn::Half;
  for (const Step& step : steps_) offsets_.push_back(offsets_.back() + step.parameters());
  for (size_t at = 0; at < steps_.size(); ++at) forward_.push_back({at, Half::forward});
  size_t end = steps_.size();
  for (size_t cut = cuts.size(); cut-- > 0; end = cuts[cut]) {
    for (size_t at = end; at-- > cuts[cut];) backward_.push_back({at, Half::input});
    for (size_t at = end; at-- > cuts[cut];) backward_.push_back({at, Half::weights});
  }
  for (const Turn& turn : backward_) (turn.half == Half::input ? input_ : weights_).push_back(turn);
}

Tensor Sequence::weights_of(const Tensor& all, size_t step) const {
  return all.column_range(offsets_[step], offsets_[step + 1] - offsets_[step]);
}

Call Sequence::part(const Call& call, size_t step) const {
  call.stash.parts.resize(steps_.size());
  return {call.kernels, weights_of(call.weights, step), call.batch, call.stash.parts[step]};
}

void Sequence::make_layer(const Turn& turn, const Call& call, const Tensor& gradients,
                          Progress& progress) const {
  const Layer& layer = *steps_[turn.step].layer;
  const Call own = part(call, turn.step);
  if (turn.half == Turn::Half::forward) progress.x = layer.forward(own, progress.x);
  if (turn.half == Turn::Half::input) progress.x = layer.input_gradient(own, progress.x);
  if (turn.half == Turn::Half::weights)
    layer.weight_gradient(own, weights_of(gradients, turn.step));
}

void Sequence::make_shared(const Turn& turn, const Call& call, const Tensor& gradients,
                           Progress& progress) const {
  const SharedLayer& layer = *steps_[turn.step].shared;
  const Call own = part(call, turn.step);
  if (turn.half == Turn::Half::forward) layer.forward(own, progress);
  if (turn.half == Turn::Half::input) layer.input_gradient(own, progress);
  if (turn.half == Turn::Half::weights)
    layer.weight_gradient(own, weights_of(gradients, turn.step), progress);
}

void Sequence::make(const Turn& turn, const Call& call, const Tensor& gradients,
                    Progress& progress) const {
  const Kind kind = steps_[turn.step].kind;
  if (kind == Kind::layer) return make_layer(turn, call, gradients, progress);
  if (kind == Kind::shared) return make_shared(turn, call, gradients, progress);
  if (turn.half == Turn::Half::weights) return;
  const bool forward = turn.half == Turn::Half::forward;
  if (kind == (forward ? Kind::fork : Kind::join)) progress.forked.push_back(progress.x);
  if (kind == (forward ? Kind::join : Kind::fork)) end_branch(call.kernels, progress);
  if (const auto how = exchange_of(kind, forward)) exchange(*how, progress);
}

void Sequence::go(const Turns& turns, const Call& call, const Tensor& gradients,
                  Progress& progress) const {
  while (progress.steps < turns.size()) {
    progress.arrived.clear();
    for (Moving& moved : std::exchange(progress.moving, {}))
      progress.arrived.push_back(std::move(moved.array));
    progress.exchanged = false;
    make(turns[progress.steps], call, gradients, progress);
    ++progress.part;
    if (!progress.moving.empty()) return;
    ++progress.steps;
    progress.part = 0;
  }
}

void Sequence::forward(const Call& call, Progress& progress) const {
  go(forward_, call, {}, progress);
}

void Sequence::input_gradient(const Call& call, Progress& progress) const {
  go(input_, call, {}, progress);
}

void Sequence::weight_gradient(const Call& call, const Tensor& gradients,
                               Progress& progress) const {
  go(weights_, call, gradients, progress);
}

void Sequence::backward(const Call& call, const Tensor& gradients, Progress& progress) const {
  go(backward_, call, gradients, progress);
}

Sequence whole(LayerPointer layer) {
  std::vector<Step> steps;
  steps.push_back({Step::Kind::layer, std::move(layer), nullptr});
  return Sequence(std::move(steps));
}

}  // namespace pipewright::train
