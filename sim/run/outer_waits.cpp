#include "run/outer_waits.hpp"

#include <algorithm>
#include <deque>

namespace pipewright {
namespace {

/// Periods after which waits repeat: what is under way at the end of the first one is all that the
/// next ones find.
constexpr int most_periods = 64;

/// Sites that train, exchange and wait, fragment after fragment.
class Sites {
 public:
  Sites(Time inner, const std::vector<OuterMeeting>& meetings, const OuterSteps& outer)
      : inner_(inner), meetings_(meetings), outer_(outer) {}

  /// Returns the waits of the next period, by fragment.
  std::vector<Time> run_period() {
    std::vector<Time> waits(meetings_.size());
    const auto count = static_cast<int64_t>(meetings_.size());
    for (int64_t k = 0; k < count; ++k) {
      const int64_t step = (k + 1) * outer_.every / count;
      wait_until(step - 1, waits);
      begin(static_cast<size_t>(k), step);
    }
    wait_until(outer_.every, waits);
    begin_next_period();
    return waits;
  }

 private:
  struct UnderWay {
    size_t fragment;
    int64_t needed;  ///< the step after which it is waited for
    Time end;
  };

  Time after(int64_t step) const { return step * inner_ + late_; }

  void begin(size_t fragment, int64_t step) {
    free_ = std::max(free_, after(step)) + meetings_[fragment].exchange;
    under_way_.push_back({fragment, step + outer_.overlap, free_});
  }

  /// Waits for what is needed after `step` or before.
  void wait_until(int64_t step, std::vector<Time>& waits) {
    for (; !under_way_.empty() && under_way_.front().needed <= step; under_way_.pop_front()) {
      const UnderWay& next = under_way_.front();
      const Time wait = std::max(Time{}, next.end - after(next.needed));
      late_ += wait + meetings_[next.fragment].compute;
      waits[next.fragment] += wait;
    }
  }

  /// Counts steps and times from the end of this period.
  void begin_next_period() {
    const Time end = after(outer_.every);
    free_ -= end;
    for (UnderWay& one : under_way_) {
      one.needed -= outer_.every;
      one.end -= end;
    }
    late_ = {};
  }

  Time inner_;
  const std::vector<OuterMeeting>& meetings_;
  const OuterSteps& outer_;
  std::deque<UnderWay> under_way_;
  Time free_;  ///< the end of the last exchange
  Time late_;  ///< behind steps without outer ones
};

}  // namespace

std::vector<Time> outer_waits(Time inner, const std::vector<OuterMeeting>& meetings,
                              const OuterSteps& outer) {
  Sites sites(inner, meetings, outer);
  std::vector<Time> waits = sites.run_period();
  for (int period = 1; period < most_periods; ++period) {
    std::vector<Time> next = sites.run_period();
    if (next == waits && period > 1) break;
    waits = std::move(next);
  }
  return waits;
}

}  // namespace pipewright
