#include <algorithm>
#include <numeric>

#include "result/result.hpp"

namespace pipewright {
namespace {

/// Returns when each micro-batch left the pipeline: the end of its last backward on stage 0.
std::vector<Time> completions(const Program& program, const Timeline& timeline, int micro_batches) {
  std::vector<Time> end(static_cast<size_t>(micro_batches));
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    if (type.kind != OpKind::compute || type.stage != 0) continue;
    const int b = program.ops[op].micro_batch;
    end[b] = std::max(end[b], timeline.spans[op].end);
  }
  return end;
}

/// The steady state between the filling and the draining of the pipeline: the first and the last
/// `ranks` micro-batches. The window is cut to whole iterations, each of which ends with a step,
/// and whole rounds of the ranks, the period of the pattern that latencies make; or to either,
/// where there is no room for both. Its length is the mean distance of micro-batches, times those
/// of an iteration.
Window steady_window(const std::vector<Time>& end, int ranks, int micro_batches) {
  const int count = static_cast<int>(end.size());
  int first = ranks, last = count - 1 - ranks;
  for (const int unit : {std::lcm(ranks, micro_batches), micro_batches, ranks}) {
    if (last - first < unit) continue;
    first = last - (last - first) / unit * unit;
    break;
  }
  if (last <= first) first = 0, last = count - 1;
  if (last <= first) return {.begin = Time{}, .end = end.back(), .length = end.back()};
  const double mean = in_seconds(end[last] - end[first]) / (last - first);
  return {.begin = end[first], .end = end[last], .length = seconds(mean * micro_batches)};
}

/// Tells whether `op` is of an optimizer step, whose number then stands in place of a micro-batch.
bool is_of_update(const Program& program, OpId op) {
  const OpType& type = program.type(op);
  if (type.kind == OpKind::step) return true;
  if (type.kind == OpKind::collective) return type.traffic == Traffic::data;
  const LaneId lane = program.ops[op].lane;
  if (lane == none) return false;
  const Stream stream = program.lanes[lane].stream;
  return stream == Stream::to_host || stream == Stream::from_host || stream == Stream::host;
}

}  // namespace

Window iteration_window(const Program& program, const Timeline& timeline,
                        const schedule::Schedule& schedule) {
  if (!schedule.synchronous) {
    return steady_window(completions(program, timeline, schedule.total_micro_batches()),
                         schedule.ranks(), schedule.micro_batches);
  }
  Time end;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    // A marker ends with what it waits for, and does not say whether it is of a step.
    if (schedule.iterations > 1 && program.type(op).kind == OpKind::marker) continue;
    const int number = program.ops[op].micro_batch;
    const int iteration = is_of_update(program, op) ? number : number / schedule.micro_batches;
    if (iteration == 0) end = std::max(end, timeline.spans[op].end);
  }
  end = timeline.unfolded(0, end);
  return {Time{}, end, end, schedule.iterations > 1 ? schedule.micro_batches : 0};
}

}  // namespace pipewright
