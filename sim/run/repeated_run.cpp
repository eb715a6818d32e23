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

/// Fewer micro-batches, of fewer passes, are simulated one by one, by what is sought.
constexpr int least_micro_batches[] = {1024, 128};
constexpr int64_t least_passes = 100'000;
/// The search begins with so many of each direction, or so many more than fill and drain the ranks.
constexpr int first_kept = 64, first_kept_beyond_ranks = 16;
/// Next it has half as many more. It ends where all that it has simulated would be more than this
/// part of the whole.
constexpr double largest_part = 0.4;

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
  chain.spans.reserve(starts.size());
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
  /// Repeats periods of every group of ranks that may keep a pace of its own, or else of all ranks.
  bool fold(const ShorterSchedule& shorter, Executed& executed) {
    const RankGroups groups =
        executed.shared_links || executed.packets
            ? RankGroups{}
            : coupled_ranks(executed.program, executed.timeline, contention_of(executed));
    if (groups.count > 1) {
      Timeline alone = executed.timeline;
      if (fold(shorter, groups, alone, executed)) return true;
      executed.timeline = std::move(alone);
    }
    return fold(shorter, RankGroups{}, {}, executed);
  }

  /// Finds the periods, of which unit_ becomes a multiple, and repeats them where they divide what
  /// is left out. `alone` is the timeline of `executed` where there are several groups.
  bool fold(const ShorterSchedule& shorter, const RankGroups& groups, const Timeline& alone,
            Executed& executed) {
    PeriodFinder finder(executed.program, groups, repeating_ops(executed.program, shorter),
                        repeats_.unit());
    std::vector<RepeatedPeriods> found;
    do {
      if (groups.count > 1 && !found.empty()) executed.timeline = alone;
      const int least = found.empty() ? 0 : shortest(found);
      found = finder.find(executed.timeline.spans, least);
      if (found.empty() || !repeat(found, shorter.left_out, executed.timeline)) return false;
      if (groups.count > 1 && !let_meet(groups, executed)) return false;
    } while (!repeats(executed));
    int64_t all = 1;
    for (const RepeatedPeriods& one : found) {
      all = std::lcm(all, one.micro_batches);
      if (all > shorter.left_out) return false;
    }
    const int64_t unit = std::lcm<int64_t>(unit_, all);
    if (unit > shorter.left_out) return false;
    unit_ = static_cast<int>(unit);
    return find_longest_chain(finder, static_cast<int>(all), shorter.left_out, executed);
  }

  static int shortest(const std::vector<RepeatedPeriods>& periods) {
    return std::ranges::min(periods, {}, &RepeatedPeriods::micro_batches).micro_batches;
  }

  /// Lets ranks of unlike pace meet when they would without what is left out, if that can be told.
  static bool let_meet(const RankGroups& groups, Executed& executed) {
    auto met = with_pauses(executed.program, groups, contention_of(executed),
                           std::move(executed.timeline));
    if (met) executed.timeline = std::move(*met);
    return met.has_value();
  }

  static const Contention* contention_of(const Executed& executed) {
    return executed.contention ? &*executed.contention : nullptr;
  }

  /// Returns false where the run would end beyond the range of the clock, or nearly.
  bool repeat(const std::vector<RepeatedPeriods>& found, int left_out, Timeline& timeline) {
    timeline.paces.clear();
    double longest = 0;
    for (const RepeatedPeriods& one : found) {
      std::vector<Repetition>& pace = timeline.paces.emplace_back(one.periods);
      double all = 0;
      for (Repetition& repetition : pace) {
        repetition.again = left_out / one.micro_batches;
        all += as_double(repetition.again) * in_seconds(repetition.period);
      }
      longest = std::max(longest, all);
    }
    Time end;
    for (const Span& span : timeline.spans) end = std::max(end, span.end);
    return in_seconds(end) + longest < in_seconds(longest_time) / 2;
  }

  /// Tells whether the critical path takes the same way through every period as through the next.
  static bool repeats(const Executed& executed) {
    const Program& program = executed.program;
    const Timeline& timeline = executed.timeline;
    const std::vector<OpId> path = critical_path(program, timeline).ops;
    const auto of = [&](const Repetition& period, uint32_t pace) {
      std::vector<std::tuple<Time, uint32_t, uint32_t>> ops;
      for (const OpId op : path) {
        const uint32_t rank = program.ops[op].rank;
        const bool is_of_pace = timeline.pace_of.empty() || timeline.pace_of[rank] == pace;
        if (is_of_pace && period.has(timeline.spans[op]))
          ops.emplace_back(timeline.spans[op].start - period.begin, program.ops[op].type, rank);
      }
      return ops;
    };
    for (uint32_t pace = 0; pace < timeline.paces.size(); ++pace) {
      for (Repetition period : timeline.paces[pace]) {
        const auto first = of(period, pace);
        period.begin = period.end() + period.pause;
        if (first != of(period, pace)) return false;
      }
    }
    return true;
  }

  bool find_longest_chain(PeriodFinder& finder, int micro_batches, int left_out,
                          Executed& executed) {
    Timeline chain = chain_of(executed);
    if (!finder.stands_still(chain.spans, micro_batches)) {
      const auto found = finder.find(chain.spans);
      if (found.size() != 1 || !repeat(found, left_out, chain)) return false;
      unit_ = std::lcm(unit_, found.front().micro_batches);
    }
    executed.longest_chain = chain.end();
    return true;
  }

  void add_note(const ShorterSchedule& shorter, Executed& executed) const {
    std::string periods;
    for (const std::vector<Repetition>& pace : executed.timeline.paces)
      for (const Repetition& repetition : pace)
        periods += fmt::format("{}the {:.6g} s from {:.6g} s on stand for {} more",
                               periods.empty() ? "" : ", ", in_seconds(repetition.period),
                               in_seconds(repetition.begin), repetition.again);
    executed.notes.push_back(
        fmt::format("micro-batches repeat themselves: {} of {} are simulated; in timelines {}",
                    shorter.schedule.micro_batches, prepared_.schedule.micro_batches, periods));
  }

  const Prepared& prepared_;
  const FreeCosts& free_;
  const Repeats& repeats_;
  int unit_;  ///< micro-batches of each direction that are left out together
};

/// Returns the passes of the ranks that are simulated.
int64_t passes(const Prepared& prepared) {
  int64_t passes = 0;
  for (size_t rank = 0; rank < prepared.schedule.order.size(); ++rank) {
    const Mesh& mesh = prepared.grid.meshes[rank];
    const auto& replicas = prepared.folding.replicas;
    const int64_t simulated =
        replicas.empty() ? mesh.replicas() : static_cast<int64_t>(replicas[rank].size());
    passes += static_cast<int64_t>(prepared.schedule.order[rank].size()) * simulated *
              (prepared.folding.tensor ? 1 : mesh.tensor);
  }
  return passes;
}

bool may_repeat(const Prepared& prepared, PeriodSearch search) {
  const int least = least_micro_batches[static_cast<size_t>(search)];
  return prepared.folding.micro_batches && !prepared.jitter && !prepared.lengths &&
         (prepared.schedule.micro_batches >= least || passes(prepared) >= least_passes);
}

}  // namespace

std::optional<Executed> execute_repeated(const Prepared& prepared, const FreeCosts& free,
                                         PeriodSearch search) {
  if (!may_repeat(prepared, search)) return std::nullopt;
  const std::optional<Repeats> repeats = Repeats::of(prepared.schedule);
  if (!repeats) return std::nullopt;
  const int most =
      static_cast<int>(largest_part * prepared.schedule.micro_batches / repeats->directions());
  int kept = std::max(first_kept, 2 * prepared.schedule.ranks() + first_kept_beyond_ranks);
  try {
    for (int simulated = kept; simulated <= most; kept += kept / 2, simulated += kept)
      if (auto executed = Attempt(prepared, free, *repeats).run(kept)) return executed;
  } catch (const Failure&) {
    // The whole run says where.
  }
  return std::nullopt;
}

}  // namespace pipewright
