#include "calibrate/live/executor/op_times.hpp"

#include <algorithm>

namespace pipewright::live {
namespace {

constexpr double least_slowdown = 1.05;

}  // namespace

std::vector<double> shares_of_memory(const std::vector<Time>& alone,
                                     const std::vector<Time>& together, int copies) {
  std::vector<double> shares(alone.size());
  if (copies < 2) return shares;
  for (size_t i = 0; i < alone.size(); ++i) {
    if (alone[i] == Time{}) continue;
    const double slowdown = in_seconds(together[i]) / in_seconds(alone[i]);
    if (slowdown >= least_slowdown) shares[i] = std::min(1.0, slowdown / copies);
  }
  return shares;
}

OpTimes on_smaller_partitions(const Program& program, OpTimes times, double ratio) {
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpKind kind = program.type(op).kind;
    if (kind != OpKind::compute && kind != OpKind::step) continue;
    times.alone[op] = seconds(in_seconds(times.alone[op]) * ratio);
    if (!times.memory.empty()) times.memory[op] /= ratio;
  }
  return times;
}

}  // namespace pipewright::live
