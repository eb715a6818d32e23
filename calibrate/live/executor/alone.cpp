#include "calibrate/live/executor/alone.hpp"

#include <algorithm>
#include <deque>
#include <functional>
#include <future>
#include <latch>

#include "base/error.hpp"
#include "engine/engine.hpp"

namespace pipewright::live {
namespace {

using Clock = std::chrono::steady_clock;

Time since(Clock::time_point start) {
  return nanoseconds(
      std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start).count());
}

/// Ops that can run, rank by rank: a rank goes on as long as it can, as its caches would like.
class ReadyOps {
 public:
  explicit ReadyOps(size_t ranks) : by_rank_(ranks) {}
  void push(const Program& program, OpId op) { by_rank_[program.ops[op].rank].push_back(op); }
  /// `none` when there is no more.
  OpId pop() {
    for (size_t tried = 0; tried < by_rank_.size();
         ++tried, rank_ = (rank_ + 1) % by_rank_.size()) {
      std::deque<OpId>& ops = by_rank_[rank_];
      if (ops.empty()) continue;
      const OpId op = ops.front();
      ops.pop_front();
      return op;
    }
    return none;
  }

 private:
  std::vector<std::deque<OpId>> by_rank_;
  size_t rank_ = 0;
};

}  // namespace

Timeline run_alone(const Program& program, DeviceWork& work) {
  Timeline timeline{std::vector<Span>(program.ops.size()), "alone"};
  std::vector<uint32_t> waits = program.waits;
  std::vector<bool> ended(program.ops.size());
  ReadyOps ready(program.ranks.size());
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (waits[op] == 0) ready.push(program, op);
  const Clock::time_point start = Clock::now();
  for (OpId op = ready.pop(); op != none; op = ready.pop()) {
    Span& span = timeline.spans[op];
    span.ready = span.start = since(start);
    perform(program, op, work);
    span.end = since(start);
    ended[op] = true;
    for (const Edge edge : program.after(op))
      if (--waits[edge.to()] == 0) ready.push(program, edge.to());
  }
  if (std::find(ended.begin(), ended.end(), false) != ended.end())
    throw Failure(describe_deadlock(program, ended));
  return timeline;
}

std::vector<Timeline> run_alone(const Program& program, std::span<DeviceWork* const> copies) {
  std::latch all_here(static_cast<std::ptrdiff_t>(copies.size()));
  std::vector<std::future<Timeline>> runs;
  const auto run = [&](DeviceWork& copy) {
    all_here.arrive_and_wait();
    return run_alone(program, copy);
  };
  for (DeviceWork* const copy : copies.subspan(1))
    runs.push_back(std::async(std::launch::async, run, std::ref(*copy)));
  std::vector<Timeline> timelines{run(*copies.front())};
  for (std::future<Timeline>& run : runs) timelines.push_back(run.get());
  return timelines;
}

std::vector<Time> durations_of(const Timeline& timeline) {
  std::vector<Time> durations;
  for (const Span& span : timeline.spans) durations.push_back(span.end - span.start);
  return durations;
}

std::vector<Time> typical_durations(const Program& program,
                                    const std::vector<Timeline>& timelines) {
  std::vector<std::vector<Time>> by_type(program.types.size());
  for (const Timeline& timeline : timelines)
    for (OpId op = 0; op < program.ops.size(); ++op)
      by_type[program.ops[op].type].push_back(timeline.spans[op].end - timeline.spans[op].start);
  for (std::vector<Time>& times : by_type) {
    if (times.empty()) continue;
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    times = {*middle};
  }
  std::vector<Time> durations;
  for (const Op& op : program.ops) durations.push_back(by_type[op.type].front());
  return durations;
}

}  // namespace pipewright::live
