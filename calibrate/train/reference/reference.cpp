#include "calibrate/train/reference/reference.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace pipewright::train {
namespace {

/// All weights a stage has had, with the directions of the steps that made them.
struct History {
  std::vector<Array> weights, directions;
  Optimizer optimizer;
};

class Reference {
 public:
  Reference(const StagedModel& model, const Training& training, const PassReads& reads,
            Kernels& kernels, const std::function<void()>& after_each)
      : model_(model),
        training_(training),
        reads_(reads),
        kernels_(kernels),
        after_each_(after_each) {
    training_.slice_tokens = {training.task.sequence};
    for (const Stage& stage : model.stages) {
      History& history = stages_.emplace_back(History{
          {}, {}, Optimizer(training.optimizer_of(stages_.size()), kernels, stage.parameters())});
      history.weights.push_back(kernels.array(1, stage.parameters()));
      kernels.upload(stage.initial, history.weights[0]);
      history.directions.push_back(history.optimizer.direction());
      gradients_.push_back(kernels.array(1, stage.parameters()));
    }
    find_oldest();
  }

  Trained run() {
    Trained trained;
    for (int step = 0; step < training_.steps; ++step) {
      for (const Array& gradient : gradients_) kernels_.zero(gradient);
      double loss = 0;
      for (int b = step * training_.step_every; b < (step + 1) * training_.step_every; ++b)
        for (int replica = 0; replica < training_.replicas; ++replica) loss += learn(b, replica);
      trained.losses.push_back(loss);
      share_tied();
      for (size_t k = 0; k < stages_.size(); ++k) update(stages_[k], gradients_[k], step);
    }
    for (const History& history : stages_) {
      const Tensor& newest = history.weights.back();
      kernels_.download(newest, trained.weights.emplace_back(newest.size()));
    }
    return trained;
  }

 private:
  size_t count() const { return model_.stages.size(); }

  /// The oldest version that the micro-batches of each step and of later ones read.
  void find_oldest() {
    oldest_.assign(static_cast<size_t>(training_.steps) + 1, training_.steps);
    for (int b = training_.micro_batches() - 1; b >= 0; --b) {
      const auto step = static_cast<size_t>(b / training_.step_every);
      oldest_[step] = std::min(oldest_[step], oldest_[step + 1]);
      for (int k = 0; k < static_cast<int>(count()); ++k)
        for (const Reads& reads : {reads_.forward(k, b), reads_.backward(k, b)})
          oldest_[step] = std::min(oldest_[step], reads.version);
    }
  }

  Array weights(size_t stage, const Reads& reads) {
    const History& history = stages_[stage];
    if (static_cast<size_t>(reads.version) >= history.weights.size())
      throw Failure("a pass reads weights that its own step is still to make");
    const Array& weights = history.weights[static_cast<size_t>(reads.version)];
    if (reads.ahead == 0) return weights;
    Array predicted = kernels_.array(1, weights.tensor.columns);
    kernels_.copy(weights, predicted);
    kernels_.add(-reads.ahead * history.optimizer.learning_rate(),
                 history.directions[static_cast<size_t>(reads.version)], predicted);
    return predicted;
  }

  /// The micro-batch's loss; its gradients are added up.
  double learn(int micro_batch, int replica) {
    const Batch batch = training_.batch(micro_batch, {replica, training_.replicas}, 0);
    std::vector<Stash> stashes(count());
    const auto call = [&](size_t k, const Array& weights) {
      return Call{kernels_, weights, batch, stashes[k]};
    };
    Progress at;
    for (size_t k = 0; k < count(); ++k) {
      const Array read = weights(k, reads_.forward(static_cast<int>(k), micro_batch));
      at = {.x = at.x};
      model_.stages[k].layers.forward(call(k, read), at);
    }
    float loss = 0;
    kernels_.download(at.x, {&loss, 1});
    if (after_each_) after_each_();
    at = {};
    for (size_t k = count(); k-- > 0;) {
      const Array read = weights(k, reads_.backward(static_cast<int>(k), micro_batch));
      at = {.x = at.x};
      model_.stages[k].layers.backward(call(k, read), gradients_[k], at);
    }
    return loss;
  }

  void share_tied() {
    const TiedTable& tied = model_.tied;
    if (tied.size == 0) return;
    const Tensor first = gradients_.front().tensor.column_range(tied.first_offset, tied.size);
    const Tensor last = gradients_.back().tensor.column_range(tied.last_offset, tied.size);
    kernels_.add(1, first, last);
    kernels_.copy(last, first);
  }

  void update(History& history, const Array& gradient, int step) {
    Array next = kernels_.array(1, gradient.tensor.columns);
    kernels_.copy(history.weights.back(), next);
    history.optimizer.step(gradient, next);
    history.weights.push_back(std::move(next));
    history.directions.push_back(history.optimizer.direction());
    const auto needed = static_cast<size_t>(oldest_[static_cast<size_t>(step) + 1]);
    for (size_t version = 0; version + 1 < history.weights.size() && version < needed; ++version)
      history.weights[version] = history.directions[version] = {};
  }

  const StagedModel& model_;
  Training training_;
  const PassReads& reads_;
  Kernels& kernels_;
  const std::function<void()>& after_each_;
  std::vector<History> stages_;
  std::vector<Array> gradients_;  // by stage, of the step at hand
  std::vector<int> oldest_;       // by step
};

}  // namespace

Trained train_reference(const StagedModel& model, const Training& training, const PassReads& reads,
                        Kernels& kernels, const std::function<void()>& after_each) {
  return Reference(model, training, reads, kernels, after_each).run();
}

double relative_difference(const Trained& a, const Trained& b) {
  double largest = 0;
  for (size_t k = 0; k < b.weights.size(); ++k) {
    double apart = 0, size = 0;
    for (size_t i = 0; i < b.weights[k].size(); ++i) {
      const double difference = double{a.weights[k][i]} - b.weights[k][i];
      apart += difference * difference;
      size += double{b.weights[k][i]} * b.weights[k][i];
    }
    // Also true where a number is not one.
    if (const double ratio = std::sqrt(apart / size); !(ratio <= largest)) largest = ratio;
  }
  return largest;
}

}  // namespace pipewright::train
