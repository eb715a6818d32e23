// A pair receives for both of its passes before it begins and sends for both after it ended, so
// that an activation takes a pair's time for each hop down the pipeline, and its gradient as much
// for each hop back. With one stage a rank, rank i of p therefore runs 2 (p - 1 - i) + 1 forwards
// before its first pair, where 1F1B runs p - 1 - i: each backward comes p - i forwards later.
// Schedules of several stages a rank have such warm-ups already, and their backwards come one
// forward later, as in Megatron-Core's combined schedule (overlap_moe_expert_parallel_comm): also
// where a forward and its own backward would meet the backward in a pair is another micro-batch's.
//
//   1F1B     F0 B0 F1 B1 F2 B2             on the last rank
//   paired   F0 (F1 B0) (F2 B1) B2
//
// Weight gradients that follow a backward stay behind it.
#include "schedule/pairing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace pipewright::schedule {
namespace {

/// The actions of a rank between two forwards.
using Run = std::vector<Action>;

bool is_forward(const Action& a) { return a.pass == Pass::forward; }

/// Tells whether `run` is one backward, or its first half, and at most weight gradients after it.
bool is_one_backward(const Run& run) {
  const auto is_weight_gradient = [](const Action& a) { return a.pass == Pass::weight_gradient; };
  return !run.empty() && !is_weight_gradient(run.front()) &&
         std::all_of(run.begin() + 1, run.end(), is_weight_gradient);
}

class Pairing {
 public:
  /// `delay`: the forwards by which a backward comes later.
  Pairing(int micro_batches, size_t delay) : micro_batches_(micro_batches), delay_(delay) {}

  Order run(const Order& order) {
    for (auto at = order.begin(); at != order.end();) {
      const auto next = std::find_if(at + 1, order.end(), is_forward);
      add(*at, Run(at + 1, next));
      at = next;
    }
    flush();
    return std::move(paired_);
  }

 private:
  /// Adds a forward, beside the backward whose time has come, and takes what follows it in its
  /// order.
  void add(Action forward, Run after) {
    if (!held_.empty() && iteration(forward) != iteration(held_.front().front())) flush();
    forward.pairs_with_next = held_.size() == delay_;
    paired_.push_back(forward);
    if (forward.pairs_with_next) take();
    if (is_one_backward(after)) return held_.push_back(std::move(after));
    if (after.empty()) return;
    flush();
    paired_.insert(paired_.end(), after.begin(), after.end());
  }

  void take() {
    paired_.insert(paired_.end(), held_.front().begin(), held_.front().end());
    held_.pop_front();
  }

  void flush() {
    while (!held_.empty()) take();
  }

  int iteration(const Action& a) const { return a.micro_batch / micro_batches_; }

  int micro_batches_;
  size_t delay_;
  std::deque<Run> held_;  ///< backwards that wait for their forwards, the next first
  Order paired_;
};

}  // namespace

bool has_pairs(const Schedule& schedule) {
  return std::ranges::any_of(schedule.order, [](const Order& order) {
    return std::ranges::any_of(order, &Action::pairs_with_next);
  });
}

void pair_passes(Schedule& schedule, const config::Value& where) {
  if (!schedule.synchronous || schedule.parallel_passes || !schedule.evictions.empty())
    where.misfit("overlap.expert: pairs needs a synchronous schedule with one server a rank");
  for (int rank = 0; rank < schedule.ranks(); ++rank) {
    Order& order = schedule.order[static_cast<size_t>(rank)];
    const int delay = schedule.chunks() == 1 ? schedule.ranks() - rank : 1;
    if (!order.empty() && is_forward(order.front()))
      order = Pairing(schedule.micro_batches, static_cast<size_t>(delay)).run(order);
  }
  if (!has_pairs(schedule))
    where.misfit(
        "overlap.expert: pairs needs a schedule that runs forwards and backwards in turn, "
        "such as 1f1b, with more micro-batches than ranks");
  try {
    validate(schedule, where);
  } catch (const InputError& error) {
    where.misfit(fmt::format("overlap.expert: pairs: {}", error.message()));
  }
}

}  // namespace pipewright::schedule
