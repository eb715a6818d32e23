#include "calibrate/live/executor/stream_executor.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <tuple>

#include "base/error.hpp"
#include "engine/engine.hpp"

namespace pipewright::live {
namespace {

/// The stream of each op: its lane's, or that of the messages of one kind between two ranks, which
/// become ready in their order; others would wait behind them.
std::vector<size_t> streams_of(const Program& program) {
  using Kind = std::tuple<uint32_t, uint32_t, schedule::Pass, int32_t>;
  std::map<Kind, size_t> kinds;
  std::vector<size_t> streams;
  for (const Op& op : program.ops) {
    const OpType& type = program.types[op.type];
    const Kind kind{op.rank, op.peer, type.pass, type.stage};
    if (op.lane != none)
      streams.push_back(op.lane);
    else
      streams.push_back(kinds.try_emplace(kind, program.lanes.size() + kinds.size()).first->second);
  }
  return streams;
}

/// Returns what each op comes after.
std::vector<std::vector<OpId>> befores(const Program& program) {
  std::vector<std::vector<OpId>> before(program.ops.size());
  for (OpId op = 0; op < program.ops.size(); ++op)
    for (const Edge edge : program.after(op)) before[edge.to()].push_back(op);
  return before;
}

void wait_for_befores(OpId op, const std::vector<std::vector<OpId>>& before,
                      const std::vector<size_t>& stream, kernels::Streams& streams) {
  for (const OpId first : before[op])
    if (stream[first] != stream[op]) streams.wait_for(end_mark(first));
}

/// Marks of a run of several copies.
class MarksOfCopies {
 public:
  explicit MarksOfCopies(size_t copies) : copies_(copies) {}
  size_t start(OpId op, size_t copy) const { return 2 * (op * copies_ + copy) + 1; }
  size_t end(OpId op, size_t copy) const { return start(op, copy) + 1; }

 private:
  size_t copies_;
};

Timeline read_marks(const Program& program, kernels::Streams& streams) {
  Timeline timeline{std::vector<Span>(program.ops.size()), "cuda"};
  for (OpId op = 0; op < program.ops.size(); ++op) {
    Span& span = timeline.spans[op];
    span.start = std::max(Time{}, streams.between(start_of_run, start_mark(op)));
    span.end = std::max(span.start, streams.between(start_of_run, end_mark(op)));
  }
  for (OpId op = 0; op < program.ops.size(); ++op) {
    for (const Edge edge : program.after(op)) {
      if (edge.is_lane()) continue;
      Span& after = timeline.spans[edge.to()];
      after.ready = std::max(after.ready, timeline.spans[op].end);
    }
  }
  // Marks of different streams are stamped to less than a microsecond.
  for (Span& span : timeline.spans) span.ready = std::min(span.ready, span.start);
  return timeline;
}

}  // namespace

std::vector<OpId> launch_order(const Program& program, const Timeline& predicted) {
  const auto start = [&](OpId op) {
    return predicted.spans.empty() ? Time{} : predicted.spans[op].start;
  };
  const auto later = [&](OpId a, OpId b) {
    return std::pair(start(a), a) > std::pair(start(b), b);
  };
  std::priority_queue<OpId, std::vector<OpId>, decltype(later)> ready(later);
  std::vector<uint32_t> waits = program.waits;
  for (OpId op = 0; op < program.ops.size(); ++op)
    if (waits[op] == 0) ready.push(op);
  std::vector<OpId> order;
  std::vector<bool> launched(program.ops.size());
  while (!ready.empty()) {
    const OpId op = ready.top();
    ready.pop();
    order.push_back(op);
    launched[op] = true;
    for (const Edge edge : program.after(op))
      if (--waits[edge.to()] == 0) ready.push(edge.to());
  }
  if (order.size() < program.ops.size()) throw Failure(describe_deadlock(program, launched));
  return order;
}

Timeline run_streams(const Program& program, DeviceWork& work, kernels::Streams& streams,
                     const Timeline& predicted, const StreamOptions& options) {
  for (const Lane& lane : program.lanes)
    ensure(lane.policy == LanePolicy::in_order, "live lanes run in order");
  const std::vector<OpId> order = launch_order(program, predicted);
  const std::vector<size_t> stream = streams_of(program);
  const std::vector<std::vector<OpId>> before = befores(program);
  streams.drain();
  for (size_t i = 0; i < order.size(); ++i) {
    const OpId op = order[i];
    if (i >= options.most_ahead) streams.reach(end_mark(order[i - options.most_ahead]));
    streams.select(stream[op], program.ops[op].rank % options.partitions);
    if (i == 0) streams.mark(start_of_run);
    wait_for_befores(op, before, stream, streams);
    streams.mark(start_mark(op));
    perform(program, op, work);
    streams.mark(end_mark(op));
  }
  streams.drain();
  return read_marks(program, streams);
}

std::vector<Timeline> run_streams_alone(const Program& program, std::span<DeviceWork* const> copies,
                                        kernels::Streams& streams, size_t most_ahead) {
  const std::vector<OpId> order = launch_order(program, {});
  const MarksOfCopies marks(copies.size());
  const auto wait_for_all = [&](OpId op) {
    for (size_t copy = 0; copy < copies.size(); ++copy) streams.wait_for(marks.end(op, copy));
  };
  streams.drain();
  streams.select(0, 0);
  streams.mark(start_of_run);
  for (size_t i = 0; i < order.size(); ++i) {
    const OpId op = order[i];
    for (size_t copy = 0; copy < copies.size(); ++copy) {
      if (i >= most_ahead) streams.reach(marks.end(order[i - most_ahead], copy));
      streams.select(copy, copy);
      if (i > 0) wait_for_all(order[i - 1]);
      streams.mark(marks.start(op, copy));
      perform(program, op, *copies[copy]);
      streams.mark(marks.end(op, copy));
    }
  }
  streams.drain();
  std::vector<Timeline> timelines(copies.size(), {std::vector<Span>(program.ops.size()), "alone"});
  for (size_t copy = 0; copy < copies.size(); ++copy) {
    for (OpId op = 0; op < program.ops.size(); ++op) {
      Span& span = timelines[copy].spans[op];
      span.start = span.ready = streams.between(start_of_run, marks.start(op, copy));
      span.end = span.start + streams.between(marks.start(op, copy), marks.end(op, copy));
    }
  }
  return timelines;
}

}  // namespace pipewright::live
