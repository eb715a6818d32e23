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

/// Mean distance of micro-batches in the steady state, times those of an iteration. The first and
/// the last `ranks` micro-batches fill and drain the pipeline; the window between them is cut to
/// whole iterations, each of which ends with a step, and whole rounds of the ranks, the period of
/// the pattern that latencies make; or to either, where there is no room for both.
Time steady_period(const std::vector<Time>& end, int ranks, int micro_batches) {
  const int count = static_cast<int>(end.size());
  int first = ranks, last = count - 1 - ranks;
  for (const int unit : {std::lcm(ranks, micro_batches), micro_batches, ranks}) {
    if (last - first < unit) continue;
    first = last - (last - first) / unit * unit;
    break;
  }
  if (last <= first) first = 0, last = count - 1;
  if (last <= first) return end.back();
  const double mean = in_seconds(end[last] - end[first]) / (last - first);
  return seconds(mean * micro_batches);
}

}  // namespace

Time iteration_time(const Program& program, const Timeline& timeline,
                    const schedule::Schedule& schedule) {
  if (!schedule.synchronous) {
    return steady_period(completions(program, timeline, schedule.total_micro_batches()),
                         schedule.ranks(), schedule.micro_batches);
  }
  Time end;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    const bool of_update = type.kind == OpKind::step ||
                           (type.kind == OpKind::collective && type.traffic == Traffic::data);
    const int iteration = of_update ? program.ops[op].micro_batch
                                    : program.ops[op].micro_batch / schedule.micro_batches;
    if (iteration == 0) end = std::max(end, timeline.spans[op].end);
  }
  return end;
}

}  // namespace pipewright
