#include "run/repeated_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "engine/repetition.hpp"
#include "result/result.hpp"
#include "schedule/repeats.hpp"

namespace pipewright {
namespace {

/// Fewer are simulated one by one: that takes no longer than to look for a period.
constexpr int least_micro_batches = 1024;
/// The search begins with so many of each direction, or with so many times the ranks.
constexpr int first_kept = 64, first_kept_by_rank = 3;
/// It ends where more than one in so many would be simulated.
constexpr int largest_part = 6;

using schedule::Repeats;
using schedule::ShorterSchedule;

/// By op, whether the order of its rank repeats itself where it stands. Only passes have a place in
/// that order; what comes with them repeats itself if they do.
std::vector<bool> repeating_ops(const Program& program, const ShorterSchedule& shorter) {
  std::vector<bool> repeating(program.ops.size(), true);
  for (OpId id = 0; id < program.ops.size(); ++id) {
    const OpType& type = program.type(id);
    if (type.kind != OpKind::compute) continue;
    const Op& op = program.ops[id];
    const auto rank = static_cast<size_t>(program.ranks[op.rank].pipeline);
    const size_t number = Repeats::number(shorter.schedule, type.pass, type.stage, op.slice);
    repeating[id] = shorter.repeating[rank][number].has(op.micro_batch);
  }
  return repeating;
}

/// The micro-batches in the midst of each direction, `count` of them.
RepeatedMicroBatches middle_of(const ShorterSchedule& shorter, int count) {
  RepeatedMicroBatches middle;
  for (const schedule::MicroBatchRange& direction : shorter.directions)
    middle.first.push_back(direction.first + (direction.size() - count) / 2);
  middle.count = count;
  middle.again = shorter.left_out / count;
  return middle;
}

/// The run without lanes.
Timeline chain_of(const Executed& executed) {
  Timeline chain;
  const std::vector<Time> starts = chain_starts(executed.program, executed.timeline);
  for (OpId op = 0; op < starts.size(); ++op) {
    const Span& span = executed.timeline.spans[op];
    chain.spans.push_back({starts[op], starts[op], starts[op] + (span.end - span.start)});
  }
  return chain;
}

class Attempt {
 public:
  Attempt(const Prepared& prepared, const FreeCosts& free, const Repeats& repeats)
      : prepared_(prepared), free_(free), repeats_(repeats), unit_(repeats.unit()) {}

  /// Runs the schedule with `kept` or some more micro-batches of each direction.
  std::optional<Executed> run(int kept) {
    const int all = prepared_.schedule.micro_batches / repeats_.directions();
    for (int before = 0; before != unit_;) {
      before = unit_;
      const int left_out = (all - kept) / unit_ * unit_;
      if (left_out < all / 2) return std::nullopt;
      const auto shorter = repeats_.without(left_out);
      if (!shorter) return std::nullopt;
      Executed executed =
          execute_order(prepared_, shorter->schedule, middle_of(*shorter, repeats_.unit()), free_);
      if (!fold(*shorter, executed)) return std::nullopt;
      if (unit_ != before) continue;
      add_note(*shorter, executed);
      return executed;
    }
    return std::nullopt;
  }

 private:
  /// Finds the period, of which unit_ becomes a multiple, and repeats it where it divides what is
  /// left out.
  bool fold(const ShorterSchedule& shorter, Executed& executed) {
    PeriodFinder finder(executed.program, repeating_ops(executed.program, shorter),
                        repeats_.unit());
    const std::vector<OpId> path = critical_path(executed.program, executed.timeline).ops;
    int period = 0;  // in micro-batches
    do {
      const auto found = finder.find(executed.timeline.spans, period);
      if (!found || !repeat(*found, shorter.left_out, executed.timeline)) return false;
      period = found->micro_batches;
    } while (!repeats(path, executed));
    unit_ = std::lcm(unit_, period);
    return find_longest_chain(finder, period, shorter.left_out, executed);
  }

  /// Returns false where the run would end beyond the range of the clock, or nearly.
  bool repeat(const RepeatedPeriods& periods, int left_out, Timeline& timeline) {
    timeline.repetitions.clear();
    double end = in_seconds(timeline.end());
    timeline.repetitions = periods.periods;
    for (Repetition& repetition : timeline.repetitions) {
      repetition.again = left_out / periods.micro_batches;
      end += as_double(repetition.again) * in_seconds(repetition.period);
    }
    return end < in_seconds(longest_time) / 2;
  }

  /// Tells whether the critical path takes the same way through a period as through the next.
  static bool repeats(const std::vector<OpId>& path, const Executed& executed) {
    const std::vector<Span>& spans = executed.timeline.spans;
    const auto of = [&](const Repetition& period) {
      std::vector<std::tuple<Time, uint32_t, uint32_t>> ops;
      for (const OpId op : path)
        if (period.has(spans[op]))
          ops.emplace_back(spans[op].start - period.begin, executed.program.ops[op].type,
                           executed.program.ops[op].rank);
      return ops;
    };
    return std::ranges::all_of(executed.timeline.repetitions, [&](Repetition period) {
      const auto first = of(period);
      period.begin += period.period;
      return first == of(period);
    });
  }

  bool find_longest_chain(PeriodFinder& finder, int micro_batches, int left_out,
                          Executed& executed) {
    Timeline chain = chain_of(executed);
    if (!finder.stands_still(chain.spans, micro_batches)) {
      const auto found = finder.find(chain.spans);
      if (!found || !repeat(*found, left_out, chain)) return false;
      unit_ = std::lcm(unit_, found->micro_batches);
    }
    executed.longest_chain = chain.end();
    return true;
  }

  void add_note(const ShorterSchedule& shorter, Executed& executed) const {
    std::string periods;
    for (const Repetition& repetition : executed.timeline.repetitions) {
      periods += fmt::format("{}the {:.6g} s from {:.6g} s on stand for {} more",
                             periods.empty() ? "" : ", ", in_seconds(repetition.period),
                             in_seconds(repetition.begin), repetition.again);
    }
    executed.notes.push_back(
        fmt::format("micro-batches repeat themselves: {} of {} are simulated; in timelines {}",
                    shorter.schedule.micro_batches, prepared_.schedule.micro_batches, periods));
  }

  const Prepared& prepared_;
  const FreeCosts& free_;
  const Repeats& repeats_;
  int unit_;  ///< micro-batches of each direction that are left out together
};

bool may_repeat(const Prepared& prepared) {
  return prepared.folding.micro_batches && !prepared.jitter && !prepared.lengths &&
         prepared.schedule.micro_batches >= least_micro_batches;
}

}  // namespace

std::optional<Executed> execute_repeated(const Prepared& prepared, const FreeCosts& free) {
  if (!may_repeat(prepared)) return std::nullopt;
  const std::optional<Repeats> repeats = Repeats::of(prepared.schedule);
  if (!repeats) return std::nullopt;
  const int all = prepared.schedule.micro_batches / repeats->directions();
  const int first = std::max(first_kept, first_kept_by_rank * prepared.schedule.ranks());
  try {
    for (int kept = first; kept <= all / largest_part; kept *= 2)
      if (auto executed = Attempt(prepared, free, *repeats).run(kept)) return executed;
  } catch (const Failure&) {
    // The whole run says where.
  }
  return std::nullopt;
}

}  // namespace pipewright
