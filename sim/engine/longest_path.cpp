#include <algorithm>

#include "base/clock_exceeded.hpp"
#include "base/error.hpp"
#include "base/stop.hpp"
#include "engine/engine.hpp"

namespace pipewright {

Timeline run_longest_path(const Program& program, std::span<const Time> duration) {
  const size_t count = program.ops.size();
  Timeline timeline{std::vector<Span>(count), "simulated"};
  std::vector<Span>& spans = timeline.spans;
  std::vector<uint32_t> waits = program.waits;
  std::vector<OpId> stack;
  stack.reserve(1024);
  for (OpId op = 0; op < count; ++op) {
    if (waits[op] == 0) stack.push_back(op);
  }
  size_t done = 0;
  while (!stack.empty()) {
    const OpId op = stack.back();
    stack.pop_back();
    stop_sometimes(++done);
    Span& span = spans[op];
    // `start` has gathered the lanes' ends so far, `ready` the dependencies'.
    span.start = std::max(span.start, span.ready);
    span.end = later(span.start, duration[op]);
    for (const Edge edge : program.after(op)) {
      Span& next = spans[edge.to()];
      Time& latest = edge.is_lane() ? next.start : next.ready;
      latest = std::max(latest, span.end);
      if (--waits[edge.to()] == 0) stack.push_back(edge.to());
    }
  }
  if (done < count) {
    std::vector<bool> ended(count);
    for (OpId op = 0; op < count; ++op) ended[op] = waits[op] == 0;
    throw Failure(describe_deadlock(program, ended));
  }
  return timeline;
}

}  // namespace pipewright
