#include "calibrate/train/reference/task.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace pipewright::train {
namespace {

constexpr double rule_holds = 0.9;

std::vector<int32_t> successors(const Task& task) {
  std::vector<int32_t> next(static_cast<size_t>(task.vocabulary));
  std::iota(next.begin(), next.end(), 0);
  Random random(task.seed);
  for (int32_t i = task.vocabulary - 1; i > 0; --i) std::swap(next[i], next[random.index(i + 1)]);
  return next;
}

}  // namespace

void Task::fill(int64_t first_sequence, Batch& batch) const {
  if (features > 0) return fill_features(first_sequence, batch);
  const std::vector<int32_t> next = successors(*this);
  batch.inputs.clear();
  batch.targets.clear();
  for (int s = 0; s < batch.sequences; ++s) {
    Random random(seed, static_cast<uint64_t>(first_sequence + s) + 1);
    int32_t token = random.index(vocabulary);
    for (int t = 0; t < batch.first + batch.tokens; ++t) {
      const bool by_rule = random.uniform() < rule_holds;
      const int32_t any = random.index(vocabulary);
      const int32_t follower = by_rule ? next[token] : any;
      if (t >= batch.first) {
        batch.inputs.push_back(token);
        batch.targets.push_back(follower);
      }
      token = follower;
    }
  }
}

void Task::fill_features(int64_t first_sample, Batch& batch) const {
  const auto in_one = [](Random& random) { return 2 * random.uniform() - 1; };
  batch.features.clear();
  batch.targets.clear();
  for (int s = 0; s < batch.sequences; ++s) {
    Random noise(seed, static_cast<uint64_t>(first_sample + s) + 1);
    const int32_t target = noise.index(vocabulary);
    Random its_class(~seed, static_cast<uint64_t>(target) + 1);
    for (int64_t i = 0; i < features; ++i)
      batch.features.push_back(static_cast<float>(in_one(its_class) + in_one(noise)));
    batch.targets.push_back(target);
  }
}

double Task::entropy() const {
  const double other = (1 - rule_holds) / vocabulary, rule = rule_holds + other;
  return -rule * std::log(rule) - (vocabulary - 1) * other * std::log(other);
}

}  // namespace pipewright::train
