// Devices whose clocks fall while they run: power or heat.
//
// Steps are put together into at most twelve groups. The level of a rank in a group is the median
// of its passes there, each over the median of its kind on that rank. The sequence of rising levels
// that is nearest to them by least squares (pool adjacent violators) is the clock, where it
// explains most of how they vary and where it rises by more than unequal micro-batches make it.
// Assumes that the beginning ran at full speed: a clock that was low from then on is a slow worker.
// Within a single step nothing is told: kinds of passes come at different times of it.
#include "diagnose/falling_clocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace pipewright::diagnose {
namespace {

constexpr size_t most_groups = 12, fewest_groups = 6, fewest_passes = 24;
/// Below this, passes of a healthy device vary as much.
constexpr double least_rise = 1.03;
/// Of n levels that vary by chance a rising sequence explains (1/2 + 1/3 + ... + 1/n) / (n - 1) on
/// the mean, a fifth of twelve (Robertson, Wright and Dykstra, Order Restricted Statistical
/// Inference, 1988).
constexpr double least_explained = 0.75;
/// Of so many standard deviations chance makes one rank in ten thousands rise.
constexpr double least_deviations = 4;
/// A standard deviation over the median of what normal figures are off.
constexpr double deviations_of_median = 1.4826;

/// Passes that are alike but for clocks and sequences: of one rank, direction and chunk.
using PassOfRank = std::tuple<int, OperationKind, int32_t>;

/// Step, data rank, number.
using MicroBatch = std::tuple<int32_t, int32_t, int32_t>;

/// How slow a rank was around a time, in seconds.
struct Level {
  double at = 0, height = 0;
};
using Levels = std::vector<Level>;

/// Whether groups of steps come one after another.
bool in_order(const Levels& levels) {
  return std::ranges::adjacent_find(levels, std::ranges::greater_equal{}, &Level::at) ==
         levels.end();
}

/// The very beginning: a clock that falls evenly falls in the first window, too. How fast is the
/// median slope between any two levels of the first third, which one sudden fall does not move.
double begin_of(const Levels& levels, double begin) {
  const size_t count = std::max<size_t>(levels.size() / 3, 3);
  std::vector<double> slopes;
  for (size_t i = 0; i < count; ++i)
    for (size_t j = i + 1; j < count; ++j)
      slopes.push_back((levels[j].height - levels[i].height) / (levels[j].at - levels[i].at));
  return levels.front().height -
         std::max(0.0, median_of(std::move(slopes))) * (levels.front().at - begin);
}

double mean_of_last_third(const Levels& levels) {
  const size_t count = levels.size() / 3;
  double sum = 0;
  for (size_t i = levels.size() - count; i < levels.size(); ++i) sum += levels[i].height;
  return sum / static_cast<double>(count);
}

void make_monotone(Levels& levels) {
  struct Block {
    double sum = 0;
    size_t count = 0;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (const Level& level : levels) {
    blocks.push_back({level.height, 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() >= blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  size_t next = 0;
  for (const Block& block : blocks)
    for (size_t i = 0; i < block.count; ++i) levels[next++].height = block.mean();
}

/// Of how much levels vary, the part that lies in that they rise.
double explained(const Levels& levels, const Levels& rising) {
  double mean = 0, all = 0, left = 0;
  for (const Level& level : levels) mean += level.height / static_cast<double>(levels.size());
  for (size_t i = 0; i < levels.size(); ++i) {
    all += std::pow(levels[i].height - mean, 2);
    left += std::pow(levels[i].height - rising[i].height, 2);
  }
  return all > 0 ? 1 - left / all : 0;
}

/// Linear between levels, and constant beyond them.
double height_at(const Levels& levels, double at) {
  const auto after = std::ranges::lower_bound(levels, at, {}, &Level::at);
  if (after == levels.begin()) return levels.front().height;
  if (after == levels.end()) return levels.back().height;
  const Level& before = *std::prev(after);
  const double part = (at - before.at) / (after->at - before.at);
  return before.height + part * (after->height - before.height);
}

class RankClock {
 public:
  void add(const TracedOperation& one, int rank, size_t group, OpId body, double seconds) {
    passes_.push_back({{rank, one.kind, one.chunk},
                       {one.step, one.dp_rank, one.micro_batch},
                       group,
                       in_seconds(one.start),
                       body,
                       seconds});
  }

  /// Puts the level of every pass into `level`. Returns how many times as long the last passes take
  /// as the first, 1 where the clock does not fall.
  double run(std::vector<double>& level) const {
    if (passes_.size() < fewest_passes) return 1;
    const Levels levels = measured_levels();
    if (levels.size() < fewest_groups || !in_order(levels)) return 1;
    Levels rising = levels;
    make_monotone(rising);
    if (explained(levels, rising) < least_explained) return 1;
    const double begin = std::ranges::min_element(passes_, {}, &Pass::at)->at;
    const double before = begin_of(levels, begin), after = mean_of_last_third(levels);
    if (before <= 0 || after < least_rise * before) return 1;
    if (after - before < least_deviations * deviation_of_rise(levels)) return 1;
    if (begin < rising.front().at)
      rising.insert(rising.begin(), {begin, std::min(before, rising.front().height)});
    for (const Pass& pass : passes_)
      level[pass.body] = std::max(1.0, height_at(rising, pass.at) / before);
    return after / before;
  }

 private:
  struct Pass {
    PassOfRank kind;
    MicroBatch micro_batch;
    size_t group = 0;
    double at = 0;
    OpId body = 0;
    double seconds = 0;
  };

  /// The standard deviation of the last third less the first if clocks do not fall and
  /// micro-batches vary as they do: that of a median is 1.25 times that of a mean.
  double deviation_of_rise(const Levels& levels) const {
    const std::map<PassOfRank, double> usual = usual_lengths();
    const double first_end = levels[levels.size() / 3 - 1].at;
    const double last_begin = levels[levels.size() - levels.size() / 3].at;
    std::set<MicroBatch> first, last;
    std::vector<double> apart;
    for (const Pass& pass : passes_) {
      if (pass.at <= first_end) first.insert(pass.micro_batch);
      if (pass.at >= last_begin) last.insert(pass.micro_batch);
      const double length = usual.at(pass.kind) * height_at(levels, pass.at);
      if (length > 0) apart.push_back(std::abs(pass.seconds / length - 1));
    }
    if (apart.empty() || first.empty() || last.empty()) return 0;
    const double spread = deviations_of_median * median_of(std::move(apart));
    return 1.25 * spread *
           std::sqrt(1 / static_cast<double>(first.size()) + 1 / static_cast<double>(last.size()));
  }

  std::map<PassOfRank, double> usual_lengths() const {
    std::map<PassOfRank, std::vector<double>> by_kind;
    for (const Pass& pass : passes_) by_kind[pass.kind].push_back(pass.seconds);
    std::map<PassOfRank, double> usual;
    for (auto& [kind, times] : by_kind) usual[kind] = median_of(std::move(times));
    return usual;
  }

  Levels measured_levels() const {
    const std::map<PassOfRank, double> usual = usual_lengths();
    std::map<size_t, std::pair<std::vector<double>, std::vector<double>>> by_group;
    for (const Pass& pass : passes_) {
      const double length = usual.at(pass.kind);
      if (length <= 0) continue;
      by_group[pass.group].first.push_back(pass.seconds / length);
      by_group[pass.group].second.push_back(pass.at);
    }
    Levels levels;
    for (auto& [group, all] : by_group)
      levels.push_back({median_of(std::move(all.second)), median_of(std::move(all.first))});
    return levels;
  }

  std::vector<Pass> passes_;
};

}  // namespace

FallingClocks falling_clocks(const MeasuredJob& job, const MeasuredProgram& trace,
                             const std::vector<Time>& lengths) {
  FallingClocks found{std::vector<double>(lengths.size(), 1.0), {}};
  const size_t groups = std::min(most_groups, job.iterations());
  std::vector<RankClock> clocks(static_cast<size_t>(job.ranks()));
  const Evidence evidence{job, trace, lengths, {}, {}};
  const auto add = [&](const auto& clock_of) {
    evidence.for_each([&](const TracedOperation& one, OpId body) {
      if (RankClock* const clock = computes(one.kind) ? clock_of(job.rank_of(one)) : nullptr)
        clock->add(one, job.rank_of(one), job.iteration_of(one) * groups / job.iterations(), body,
                   in_seconds(lengths[body]));
    });
  };
  add([&](int rank) { return &clocks[static_cast<size_t>(rank)]; });
  for (const RankClock& clock : clocks) found.rise.push_back(clock.run(found.level));
  // Unequal sequences hide what a rank by itself shows. All ranks that show nothing show more.
  const auto is_steady = [&](int rank) { return found.rise[static_cast<size_t>(rank)] == 1; };
  RankClock together;
  add([&](int rank) { return is_steady(rank) ? &together : nullptr; });
  const double rise = together.run(found.level);
  for (double& one : found.rise)
    if (one == 1) one = rise;
  return found;
}

std::vector<Candidate> slow_clocks(const Evidence& evidence) {
  std::vector<Candidate> found;
  Candidate all{.kind = CauseKind::worker, .aspect = Aspect::clock};
  const std::vector<double>& rise = evidence.clocks.rise;
  std::map<int, Candidate> by_rank;
  evidence.for_each([&](const TracedOperation& one, OpId body) {
    if (evidence.clocks.of(body) <= 1) return;
    const std::pair cured{body, seconds(evidence.steady(body))};
    by_rank[evidence.job.rank_of(one)].cure.push_back(cured);
    all.cure.push_back(cured);
  });
  for (auto& [rank, candidate] : by_rank) {
    candidate.aspect = Aspect::clock;
    candidate.who = fmt::format("clock of data rank {}, stage {}", rank / evidence.job.stages,
                                rank % evidence.job.stages);
    candidate.remedy = fmt::format(
        "look at power and cooling of this device: its passes take {:.2f} times as long in the end "
        "as in the beginning",
        rise[static_cast<size_t>(rank)]);
    found.push_back(std::move(candidate));
  }
  if (found.size() < 2) return found;
  all.who = fmt::format("clocks of {} ranks", found.size());
  all.remedy = fmt::format(
      "look at power and cooling, and at sequences that became longer: passes of {} ranks take up "
      "to "
      "{:.2f} times as long in the end as in the beginning",
      found.size(), *std::ranges::max_element(rise));
  found.push_back(std::move(all));
  return found;
}

}  // namespace pipewright::diagnose
