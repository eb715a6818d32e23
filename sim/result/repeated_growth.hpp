// What grows in a period that stands for more.
#pragma once

#include <span>

#include "engine/timeline.hpp"

namespace pipewright {

/// Lets a level, such as what a rank holds, grow in a period as often as that happens. Every time
/// it is as much higher: it is highest in the first or in the last, which both are in the spans.
template <class Level>
class RepeatedGrowth {
 public:
  /// `repetitions` must outlive it.
  explicit RepeatedGrowth(Repetitions repetitions) : left_(repetitions) {}

  /// Must be called before what happens `at` changes `level`, in the order of time, with or without
  /// pauses.
  void reach(Time at, Level& level) {
    for (; !left_.empty() && at >= left_.front().begin; left_ = left_.subspan(1), began_ = false) {
      if (!began_) before_ = level;
      began_ = true;
      if (at < left_.front().end()) return;
      level.repeat(before_, left_.front().again);
    }
  }

 private:
  Repetitions left_;
  bool began_ = false;
  Level before_;  ///< when the first of `left_` began
};

}  // namespace pipewright
