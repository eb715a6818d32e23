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
//
// Ranks that do nothing together in the meantime (paces.hpp) may each have a period of their own.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/paces.hpp"
#include "engine/timeline.hpp"
#include "program/program.hpp"

namespace pipewright {

/// Periods of a group of ranks after which it goes on as before.
struct RepeatedPeriods {
  int micro_batches = 0;            ///< of each direction, in a period
  std::vector<Repetition> periods;  ///< each op of the steady part is in one; `again` is zero
};

/// Looks for periods of a program.
class PeriodFinder {
 public:
  /// `repeating` tells of each op whether it may be part of a period. Periods are multiples of
  /// `unit` micro-batches. `program` must outlive it.
  PeriodFinder(const Program& program, RankGroups groups, std::vector<bool> repeating, int unit);

  /// Finds the shortest periods in a run with `spans` that have more than `least` micro-batches, of
  /// each group. Empty where one has none.
  std::vector<RepeatedPeriods> find(std::span<const Span> spans, int least = 0);
  /// Tells whether each op has the span of its like that is `micro_batches` away, in the midst of
  /// where all series repeat themselves.
  bool stands_still(std::span<const Span> spans, int micro_batches);

 private:
  using Series = std::span<const OpId>;  ///< ops alike, by micro-batch

  /// The series of a group.
  struct Part {
    std::vector<uint32_t> series;
    std::vector<OpId> ops;
    std::vector<uint32_t> some_series;
    std::vector<OpId> some;  ///< those of some series
  };

  Series series(size_t k) const { return {ops_.data() + offset_[k], ops_.data() + offset_[k + 1]}; }
  void sort_into_parts();
  void match(uint32_t k);
  void match(const std::vector<uint32_t>& all);
  OpId like_of(OpId op, Series alike) const;
  int micro_batch(OpId op) const { return program_.ops[op].micro_batch; }
  std::optional<int> repeated_of(Series alike) const;
  std::pair<int, int> reach() const;
  bool are_alike(OpId op, OpId later) const;
  std::optional<RepeatedPeriods> find_in(const Part& part, std::span<const Span> spans, Time end);
  std::vector<Time> paces(const Part& part, std::span<const Span> spans) const;
  bool is_repeated(std::span<const Span> spans, OpId op, Time pace) const;
  std::vector<Repetition> periods_of(Series ops, std::span<const Span> spans, Time end,
                                     Time pace) const;
  bool cover(const Part& part, std::span<const Span> spans, std::vector<Repetition>& found) const;

  const Program& program_;
  RankGroups groups_;
  std::vector<bool> repeating_;
  int unit_;
  std::vector<OpId> ops_;
  std::vector<size_t> offset_;         ///< series k is ops_[offset_[k] .. offset_[k+1])
  std::vector<Part> parts_;            ///< by group
  int micro_batches_ = 0;              ///< by which ops are matched
  std::vector<int> matched_;           ///< by series, the micro-batches by which its ops are
  std::vector<OpId> later_, earlier_;  ///< by op, its like so many micro-batches away; or none
};

}  // namespace pipewright
