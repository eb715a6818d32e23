#include "run/outer_period.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/required.hpp"
#include "base/stop.hpp"
#include "run/execute.hpp"
#include "run/outer_waits.hpp"
#include "run/result_of.hpp"

namespace pipewright {
namespace {

using Works = std::vector<OuterWork>;

/// Tells whether two fragments exchange as much.
bool are_alike(const Works& a, const Works& b) {
  return std::ranges::equal(
      a, b, {}, [](const OuterWork& work) { return work.exchange.bytes; },
      [](const OuterWork& work) { return work.exchange.bytes; });
}

/// Runs an iteration that ends in the outer step of a fragment.
Metrics run_with(const Prepared& prepared, const Works& works) {
  Prepared meeting = prepared;
  for (size_t stage = 0; stage < works.size(); ++stage)
    meeting.work.updates[stage].outer = works[stage];
  const Executed run = execute(meeting);
  return metrics_of(meeting, run.program, run.timeline, Detail::numbers);
}

std::vector<Metrics> run_fragments(const Prepared& prepared) {
  const std::vector<Works>& fragments = prepared.work.outer;
  std::vector<Metrics> all;
  for (size_t k = 0; k < fragments.size(); ++k) {
    stop_here();
    const auto like = std::ranges::find_if(
        fragments, [&](const Works& other) { return are_alike(other, fragments[k]); });
    const auto first = static_cast<size_t>(like - fragments.begin());
    all.push_back(first < k ? all[first] : run_with(prepared, fragments[k]));
  }
  return all;
}

/// Returns what a rank does itself: it computes, or waits for its host to start that.
Time own_work(const RankResult& rank) { return rank.breakdown.computing() + rank.breakdown.host; }

OuterMeeting meeting_of(const Metrics& with, const Metrics& inner) {
  const Time longer = std::max(Time{}, with.iteration - inner.iteration);
  Time compute;
  for (size_t rank = 0; rank < inner.ranks.size(); ++rank)
    compute = std::max(compute, own_work(with.ranks[rank]) - own_work(inner.ranks[rank]));
  compute = std::min(compute, longer);
  return {.exchange = longer - compute, .compute = compute};
}

/// Takes `less` out of what `with` waits longer than `inner`, exchanges between replicas first.
void hide(Time less, const Breakdown& inner, Breakdown& with) {
  const auto take = [&](Time before, Time& now) {
    const Time taken = std::clamp(now - before, Time{}, less);
    now -= taken;
    less -= taken;
  };
  take(inner.exposed[static_cast<size_t>(Traffic::data)], with[Traffic::data]);
  take(inner.bubble, with.bubble);
  take(inner.host, with.host);
  for (size_t kind = 0; kind < traffic_kinds; ++kind) take(inner.exposed[kind], with.exposed[kind]);
}

/// The iterations of a period.
class Period {
 public:
  Period(const OuterSteps& outer, Time inner, const std::vector<OuterMeeting>& meetings)
      : outer_(outer), meetings_(meetings), waits_(outer_waits(inner, meetings, outer)) {
    length_ = outer.every * inner;
    for (size_t k = 0; k < meetings.size(); ++k) length_ += meetings[k].compute + waits_[k];
  }

  Time mean_iteration() const { return {length_.ps / outer_.every}; }
  const std::vector<Time>& waits() const { return waits_; }

  /// Returns the mean account of a rank. `with` are its accounts in iterations with outer steps.
  Breakdown mean(const Breakdown& inner, const std::vector<Breakdown>& with) const {
    Breakdown sum;
    sum.add(inner, outer_.every - static_cast<int64_t>(with.size()));
    for (size_t k = 0; k < with.size(); ++k) {
      Breakdown one = with[k];
      const Time waits = waits_[k], alone = meetings_[k].exchange;
      if (waits > alone)
        one[Traffic::data] += waits - alone;
      else
        hide(alone - waits, inner, one);
      sum.add(one, 1);
    }
    return scaled(sum, mean_iteration());
  }

 private:
  const OuterSteps& outer_;
  const std::vector<OuterMeeting>& meetings_;
  std::vector<Time> waits_;
  Time length_;
};

/// Adds a row to the layers and to the kernels of the rank that computes longest.
void add_detail(Time more, double runs, int stage, ComputeDetail& detail) {
  if (detail.kernels.empty() || more == Time{}) return;
  detail.layers.push_back(
      {.name = "outer optimizer", .stage = stage, .backward_s = in_seconds(more)});
  detail.kernels.push_back({.kernel = std::string(name_of(Kernel::optimizer)),
                            .shape = "outer step",
                            .count = std::llround(runs),
                            .time_s = in_seconds(more),
                            .bound = KernelBound::memory});
  double all = 0;
  for (const KernelTime& kernel : detail.kernels) all += kernel.time_s;
  for (KernelTime& kernel : detail.kernels) kernel.share = kernel.time_s / all;
  std::ranges::stable_sort(detail.kernels, std::ranges::greater(), &KernelTime::time_s);
}

void add_traffic(const std::vector<Metrics>& with, const Metrics& inner, int every,
                 Metrics& metrics) {
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    Communication& sum = metrics.communication[kind];
    Time longer;
    for (const Metrics& one : with) {
      sum.bytes += (one.communication[kind].bytes - inner.communication[kind].bytes) / every;
      longer += one.communication[kind].time - inner.communication[kind].time;
    }
    sum.time += Time{longer.ps / every};
  }
}

}  // namespace

OuterResult add_outer_steps(const Prepared& prepared, Metrics& metrics) {
  const OuterSteps& outer = required(prepared.long_run.outer, "there are outer steps");
  if (metrics.iteration.ps > longest_time.ps / 4 / outer.every)
    throw Failure(
        fmt::format("outer.every: {} iterations take longer than can be counted", outer.every));
  const Metrics inner = metrics;
  const std::vector<Metrics> with = run_fragments(prepared);
  std::vector<OuterMeeting> meetings;
  for (const Metrics& one : with) meetings.push_back(meeting_of(one, inner));
  const Period period(outer, inner.iteration, meetings);

  OuterResult result{outer.sites, outer.every, outer.fragments, inner.iteration, {}, {}, {}};
  for (size_t k = 0; k < with.size(); ++k) {
    result.exchange += meetings[k].exchange;
    result.exposed += period.waits()[k];
    result.compute += meetings[k].compute;
  }
  metrics.iteration = period.mean_iteration();
  const auto accounts = [&](auto&& of) {
    std::vector<Breakdown> all;
    for (const Metrics& one : with) all.push_back(of(one));
    return all;
  };
  metrics.breakdown =
      period.mean(inner.breakdown, accounts([](const Metrics& one) { return one.breakdown; }));
  for (size_t rank = 0; rank < inner.ranks.size(); ++rank)
    metrics.ranks[rank].breakdown =
        period.mean(inner.ranks[rank].breakdown,
                    accounts([&](const Metrics& one) { return one.ranks[rank].breakdown; }));
  for (BusyDevices& busy : metrics.busy)
    busy.computing += metrics.breakdown.computing() - inner.breakdown.computing();
  add_traffic(with, inner, outer.every, metrics);
  const auto busiest = std::ranges::max_element(
      inner.ranks, {}, [](const RankResult& rank) { return rank.breakdown.computing(); });
  if (busiest == inner.ranks.end()) return result;
  const RankResult& now = metrics.ranks[static_cast<size_t>(busiest - inner.ranks.begin())];
  add_detail(now.breakdown.computing() - busiest->breakdown.computing(),
             2.0 * outer.fragments * static_cast<double>(now.stages.size()) / outer.every,
             now.stages.empty() ? 0 : now.stages.front(), metrics.detail);
  return result;
}

}  // namespace pipewright
