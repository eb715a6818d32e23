#include "run/failure_history.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <random>
#include <vector>

namespace pipewright {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class History {
 public:
  History(const FailureRates& rates, uint64_t seed) : rates_(rates), random_(seed) {}

  FailureHistory run() {
    fails_at_ = now_ + time_to_failure();
    while (now_ < rates_.time) {
      if (speed_ <= 0)
        wait_for_repair();
      else if (restarting_)
        restart();
      else
        work();
    }
    return std::move(account_);
  }

 private:
  double uniform() { return static_cast<double>((random_() >> 11) + 1) * 0x1p-53; }

  double time_to_failure() {
    const int there = rates_.nodes - static_cast<int>(missing_.size());
    return there > 0 ? -std::log(uniform()) * rates_.node_mtbf / there : never;
  }

  double repaired_at() const { return repairs_.empty() ? never : repairs_.top(); }

  /// Goes on to `until`, or to the failure before it or the end of the history. Returns whether
  /// `until` was reached.
  bool pass(double until, FailureShare share) {
    const double end = std::min({until, fails_at_, rates_.time});
    account_[share] += end - now_;
    now_ = end;
    take_back_repaired();
    if (now_ == fails_at_) fail();
    return end == until;
  }

  /// Works until a checkpoint is due, a node comes back, or a failure.
  void work() {
    const double due = std::min(stored_due_, copied_due_);
    const double done = now_ + (due - work_) / speed_;
    const double end = std::min({done, fails_at_, repaired_at(), rates_.time});
    account_[FailureShare::useful] += (end - now_) * speed_;
    account_[FailureShare::missing] += (end - now_) * (1 - speed_);
    work_ = end == done ? due : work_ + (end - now_) * speed_;
    now_ = end;
    const double speed = speed_;
    take_back_repaired();
    if (now_ == fails_at_) return fail();
    if (end == done && speed == speed_) checkpoint();
  }

  void checkpoint() {
    if (work_ >= stored_due_) {
      stored_due_ = work_ + rates_.interval;
      // One checkpoint is written at a time.
      if (!stop(std::max(now_, written_at_) + rates_.checkpoint)) return;
      stored_ = written_;
      written_ = work_;
      written_at_ = now_ + rates_.write;
    } else {
      copied_due_ = work_ + rates_.memory_interval;
      if (stop(now_ + rates_.memory)) copied_ = work_;
    }
  }

  /// Stops the run for a checkpoint. Returns false where a failure or the end comes first.
  bool stop(double until) {
    const int64_t failures = account_.failures;
    return pass(until, FailureShare::checkpoints) && account_.failures == failures;
  }

  void fail() {
    ++account_.failures;
    const int node = some_node();
    if (restarting_ && rates_.nodes > 1 && uniform() * (rates_.nodes - 1) < 1) copied_.reset();
    std::set<int> lost = missing_;
    lost.insert(node);
    go_back(rates_.iteration > 0 && rates_.speed(lost) > 0);
    if (rates_.repair > 0) lose(node);
    speed_ = rates_.speed(missing_);
    restarting_ = true;
    fails_at_ = now_ + time_to_failure();
  }

  int some_node() {
    const auto there = static_cast<double>(rates_.nodes - static_cast<int>(missing_.size()));
    int place = std::min(static_cast<int>(uniform() * there), static_cast<int>(there) - 1);
    int node = 0;
    for (;; ++node)
      if (!missing_.contains(node) && place-- == 0) return node;
  }

  void lose(int node) {
    repairs_.push(now_ + rates_.repair);
    if (spares_ > 0)
      --spares_;
    else
      missing_.insert(node);
  }

  /// `replicas_know`: those that are left hold all state.
  void go_back(bool replicas_know) {
    if (now_ >= written_at_) stored_ = written_;
    double back = std::max(stored_, copied_.value_or(0));
    if (replicas_know)
      back = std::max(back, std::floor(work_ / rates_.iteration) * rates_.iteration);
    back = std::min(back, work_);
    account_[FailureShare::useful] -= work_ - back;
    account_[FailureShare::lost] += work_ - back;
    work_ = back;
    written_ = stored_;  // what was under way is given up
    written_at_ = now_;
    stored_due_ = work_ + rates_.interval;
    copied_due_ = rates_.memory_interval > 0 ? work_ + rates_.memory_interval : never;
  }

  void restart() {
    const int64_t failures = account_.failures;
    const bool whole = pass(now_ + rates_.restart, FailureShare::restarts);
    restarting_ = !whole || account_.failures != failures;
  }

  void wait_for_repair() {
    const double end = std::min(repaired_at(), rates_.time);
    account_[FailureShare::waiting] += end - now_;
    now_ = end;
    take_back_repaired();
    fails_at_ = now_ + time_to_failure();
    restarting_ = true;
  }

  void take_back_repaired() {
    bool back = false;
    for (; repaired_at() <= now_; repairs_.pop()) {
      if (missing_.empty()) {
        spares_ += 1;
        continue;
      }
      missing_.erase(missing_.begin());
      back = true;
    }
    if (!back) return;
    speed_ = rates_.speed(missing_);
    if (now_ < fails_at_) fails_at_ = now_ + time_to_failure();
  }

  const FailureRates& rates_;
  std::mt19937_64 random_;
  FailureHistory account_;
  double now_ = 0, fails_at_ = never;
  double work_ = 0;                      ///< done, and not lost since
  double stored_ = 0;                    ///< of the last checkpoint that counts
  double written_ = 0, written_at_ = 0;  ///< of the one that is being written
  std::optional<double> copied_;         ///< of the last copy in hosts' memory
  double stored_due_ = rates_.interval;  ///< the work at which the next one is made
  double copied_due_ = rates_.memory_interval > 0 ? rates_.memory_interval : never;
  double speed_ = 1;
  bool restarting_ = false;
  int spares_ = rates_.spares;
  std::set<int> missing_;
  std::priority_queue<double, std::vector<double>, std::greater<>> repairs_;
};

}  // namespace

FailureHistory draw_history(const FailureRates& rates, uint64_t seed) {
  return History(rates, seed).run();
}

}  // namespace pipewright
