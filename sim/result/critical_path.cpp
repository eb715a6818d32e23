#include <algorithm>

#include "result/result.hpp"

namespace pipewright {
namespace {

/// Returns the repetitions of each rank, empty where it has no pause.
std::vector<Repetitions> pausing_by_rank(const Program& program, const Timeline& timeline) {
  const auto is_short = [](const Repetition& one) { return one.pause == Time{}; };
  std::vector<Repetitions> pausing;
  for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
    const Repetitions all = timeline.repetitions(rank);
    pausing.push_back(std::ranges::all_of(all, is_short) ? Repetitions{} : all);
  }
  return pausing;
}

/// Returns for each op one that ended exactly when it started and that it followed, but for a pause
/// between them; `none` where it started at once.
std::vector<OpId> binding_predecessors(const Program& program, const Timeline& timeline) {
  std::vector<OpId> binding(program.ops.size(), none);
  const std::vector<Repetitions> pausing = pausing_by_rank(program, timeline);
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const Span& span = timeline.spans[op];
    const Repetitions repetitions = pausing[program.ops[op].rank];
    for (const Edge edge : program.after(op)) {
      const OpId next = edge.to();
      const Time start = timeline.spans[next].start;
      if (binding[next] == none &&
          start == span.end + pause_between(repetitions, span.start, start))
        binding[next] = op;
    }
  }
  return binding;
}

void account(const OpType& type, Time length, CriticalPath& path) {
  switch (type.kind) {
    case OpKind::compute:
      switch (type.pass) {
        case schedule::Pass::forward:
          path.forward += length;
          break;
        case schedule::Pass::backward:
          path.backward += length;
          break;
        case schedule::Pass::input_gradient:
          path.input_gradient += length;
          break;
        case schedule::Pass::weight_gradient:
          path.weight_gradient += length;
          break;
      }
      break;
    case OpKind::transfer:
    case OpKind::copy:
    case OpKind::collective:
      path.communication[static_cast<size_t>(type.traffic)] += length;
      break;
    case OpKind::step:
      path.step += length;
      break;
    case OpKind::marker:
      break;
  }
}

std::vector<OpId> critical_ops(const Program& program, const Timeline& timeline) {
  std::vector<OpId> ops;
  if (program.ops.empty()) return ops;
  OpId op = 0;
  for (OpId o = 0; o < program.ops.size(); ++o)
    if (timeline.spans[o].end > timeline.spans[op].end) op = o;
  const std::vector<OpId> binding = binding_predecessors(program, timeline);
  for (; op != none; op = binding[op]) ops.push_back(op);
  return ops;
}

}  // namespace

CriticalPath critical_path(const Program& program, const Timeline& timeline) {
  CriticalPath path;
  path.ops = critical_ops(program, timeline);
  for (const OpId op : path.ops) {
    const Span& span = timeline.spans[op];
    const int64_t times = timeline.times(program.ops[op].rank, span);
    account(program.type(op), times * (span.end - span.start), path);
  }
  // In a measured timeline an op may start later than anything it waited for has ended.
  if (path.ops.empty()) return path;
  const OpId first = path.ops.back();
  path.wait = timeline.unfolded(program.ops[first].rank, timeline.spans[first].start);
  return path;
}

}  // namespace pipewright
