// The parts of the ranks' orders that repeat themselves micro-batch after micro-batch, and the same
// schedule with fewer repeats.
//
// An order repeats itself from one position to another where it is, some positions later, the same
// but for micro-batches that are higher by a constant, or lower where they are run in reverse. Such
// a part is the same wherever a whole period is cut out of it. So the schedule is the shorter one
// with periods put in.
#pragma once

#include <optional>
#include <vector>

#include "schedule/schedule.hpp"

namespace pipewright::schedule {

/// The positions of an order from `first` to before `last`: the action `period` later is the same,
/// of a micro-batch that is `micro_batches` higher.
struct Stretch {
  size_t first = 0, last = 0;
  size_t period = 0;
  int micro_batches = 0;

  size_t periods() const { return (last - first) / period; }
};

/// Positions of an order, from `first` to before `last`.
struct Section {
  size_t first = 0, last = 0;

  size_t size() const { return last - first; }
};

/// The micro-batches from `first` to before `last`.
struct MicroBatchRange {
  int first = 0, last = 0;

  int size() const { return last - first; }
  void include(int micro_batch);
  bool has(int micro_batch) const { return micro_batch >= first && micro_batch < last; }
  auto operator<=>(const MicroBatchRange&) const = default;
};

/// A schedule that does without most of its repeats.
struct ShorterSchedule {
  Schedule schedule;
  int left_out = 0;  ///< micro-batches of each direction
  std::vector<MicroBatchRange> directions;
  /// By rank and action without its micro-batch, as Repeats::number() counts them: the
  /// micro-batches whose passes repeat themselves.
  std::vector<std::vector<MicroBatchRange>> repeating;
};

/// What repeats itself in a synchronous schedule of one iteration.
class Repeats {
 public:
  /// Returns nothing where the order of some rank has no part that repeats itself. `schedule` must
  /// outlive it.
  static std::optional<Repeats> of(const Schedule& schedule);

  /// The micro-batches of a direction that are left out together: a multiple of this.
  int unit() const { return unit_; }
  /// Ranges of micro-batches that go through the stages in one way, as Chimera's down and up.
  int directions() const { return static_cast<int>(directions_.size()); }
  /// Leaves `left_out` micro-batches of each direction out, a multiple of unit(). Returns nothing
  /// where too little of a repeat would be left.
  std::optional<ShorterSchedule> without(int left_out) const;

  /// The number of an action among those of its schedule that differ by more than the micro-batch.
  static size_t number(const Schedule& schedule, Pass pass, int stage, int slice) {
    return (static_cast<size_t>(stage) * static_cast<size_t>(schedule.slices) +
            static_cast<size_t>(slice)) *
               4 +
           static_cast<size_t>(pass);
  }

 private:
  explicit Repeats(const Schedule& schedule) : schedule_(&schedule) {}

  size_t number(const Action& a) const { return number(*schedule_, a.pass, a.stage, a.slice); }
  size_t numbers() const { return number(*schedule_, Pass::forward, schedule_->stages, 0); }
  bool find_directions();
  bool find_stretches(const Order& order);
  int shift_of(size_t rank, size_t number, int left_out) const;
  bool leave_out(size_t rank, const std::vector<Section>& gaps, ShorterSchedule& shorter) const;
  std::vector<MicroBatchRange> missing_of(const Order& order,
                                          const std::vector<Section>& gaps) const;
  bool backwards_fit(const Order& kept, const Order& order) const;
  std::vector<MicroBatchRange> repeating_of(size_t rank, int left_out) const;

  const Schedule* schedule_;
  int unit_ = 1;
  std::vector<MicroBatchRange> directions_;
  std::vector<std::vector<MicroBatchRange>> of_number_;  ///< by rank and number: all of them
  std::vector<std::vector<Stretch>> stretches_;          ///< by rank, in order
};

}  // namespace pipewright::schedule
