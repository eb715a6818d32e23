// Finds a period by which a run repeats itself.
//
// At two times the state of a run is the same but for a shift T in time and q micro-batches where
//   - the ops that are running are the same but for q, and began T apart,
//   - so are the ops that have ended in each lane, of what still has followers, and
//   - so is what is left to do but for q micro-batches that are to come.
// What follows is then the same as well: the engine knows nothing else. Here the first two are
// shown by the spans. In a period before and after the first time, and in one after the second,
// every op is T away from its like. That history is longer than any of its ops, so bytes in flight
// have also been held up alike. The third is the caller's: the orders of the lanes must repeat
// themselves there (schedule/repeats.hpp).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// Periods of a run after which it goes on as before.
struct RepeatedPeriods {
  int micro_batches = 0;            ///< of each direction, in a period
  std::vector<Repetition> periods;  ///< each op of the steady part is in one; `again` is zero
};

/// Looks for periods of a program.
class PeriodFinder {
 public:
  /// `repeating` tells of each op whether it may be part of a period. Periods are multiples of
  /// `unit` micro-batches. `program` must outlive it.
  PeriodFinder(const Program& program, std::vector<bool> repeating, int unit);

  /// Finds the shortest period in a run with `spans` that has more than `least` micro-batches.
  std::optional<RepeatedPeriods> find(std::span<const Span> spans, int least = 0);
  /// Tells whether each op in the midst of its series has the span of its like that is
  /// `micro_batches` away.
  bool stands_still(std::span<const Span> spans, int micro_batches);

 private:
  using Series = std::span<const OpId>;  ///< ops alike, by micro-batch

  Series series(size_t k) const { return {ops_.data() + offset_[k], ops_.data() + offset_[k + 1]}; }
  void match(int micro_batches);
  bool are_alike(OpId op, OpId later) const;
  std::vector<Time> paces(std::span<const Span> spans) const;
  bool is_repeated(std::span<const Span> spans, OpId op, Time pace) const;
  std::vector<Repetition> periods_of(Series ops, std::span<const Span> spans, Time end,
                                     Time pace) const;
  bool cover(std::span<const Span> spans, std::vector<Repetition>& found) const;

  const Program& program_;
  std::vector<bool> repeating_;
  int unit_;
  std::vector<OpId> ops_;
  std::vector<OpId> some_;             ///< those of some series
  std::vector<size_t> offset_;         ///< series k is ops_[offset_[k] .. offset_[k+1])
  int micro_batches_ = 0;              ///< by which ops are matched
  std::vector<OpId> later_, earlier_;  ///< by op, its like so many micro-batches away; or none
};

}  // namespace pipewright
