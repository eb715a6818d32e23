// Tells when the gradients of a rank are complete.
#pragma once

#include <map>
#include <vector>

#include "program/rank_order.hpp"

namespace pipewright {

/// Tells which stages of a rank have all their gradients for which optimizer step.
class GradientCounter {
 public:
  GradientCounter(const schedule::Schedule& schedule, const schedule::Order& order)
      : step_every_(schedule.step_every) {
    for (const schedule::Action& a : order)
      if (completes_gradient(a)) ++left_[step_of(a)][a.stage];
  }
  static bool completes_gradient(const schedule::Action& a) {
    return a.pass == schedule::Pass::backward || a.pass == schedule::Pass::weight_gradient;
  }
  /// Appends the reduce and step that `a` completes.
  void count(const schedule::Action& a, std::vector<RankStep>& steps) {
    if (!completes_gradient(a)) return;
    const int step = step_of(a);
    std::map<int, int>& stages = left_[step];
    if (--stages[a.stage] > 0) return;
    stages.erase(a.stage);
    steps.push_back({RankStep::Kind::reduce, a.stage, {}, step});
    if (stages.empty()) steps.push_back({RankStep::Kind::step, step, {}, step});
  }

 private:
  int step_of(const schedule::Action& a) const { return a.micro_batch / step_every_; }
  int step_every_;
  std::map<int, std::map<int, int>> left_;  // by step, then stage
};

/// Tells, by position in `order`, whether the action completes the gradients of its stage for a
/// step.
inline std::vector<bool> completing_actions(const schedule::Schedule& schedule,
                                            const schedule::Order& order) {
  GradientCounter gradients(schedule, order);
  std::vector<bool> completes;
  for (const schedule::Action& a : order) {
    std::vector<RankStep> steps;
    gradients.count(a, steps);
    completes.push_back(!steps.empty());
  }
  return completes;
}

}  // namespace pipewright
