#include <algorithm>

#include "result/result.hpp"

namespace pipewright {
namespace {

/// Bytes that all members of a collective send, by the algorithms that send least: 2(n-1)/n of the
/// buffer each for all_reduce, (n-1)/n for the others, the whole buffer n-1 times for a broadcast.
double bytes_sent(const OpType& type, double n) {
  const auto bytes = static_cast<double>(type.bytes.count);
  if (type.kind != OpKind::collective) return bytes;
  return bytes * (n - 1) * (type.collective == CollectiveKind::all_reduce ? 2 : 1);
}

/// Returns how many devices an op of communication keeps busy: the sender's likes for a transfer,
/// the likes of every simulated member for a collective.
std::vector<double> busy_devices(const Program& program) {
  std::vector<double> busy(program.ops.size());
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const Op& o = program.ops[op];
    const OpKind kind = program.type(op).kind;
    if (kind == OpKind::transfer || kind == OpKind::copy)
      busy[op] = program.type(op).resharding != none ? 1 : program.ranks[o.rank].multiplicity;
    // In a trace a collective holds no lane, and every rank stands for itself.
    if (kind == OpKind::collective && o.lane == none)
      busy[op] = static_cast<double>(program.groups[o.peer].size());
  }
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    const double likes = program.ranks[program.lanes[lane].rank].multiplicity;
    for (const OpId op : program.order(lane))
      if (program.type(op).kind == OpKind::collective) busy[op] += likes;
  }
  return busy;
}

}  // namespace

void measure_communication(const Program& program, const Timeline& timeline, Metrics& metrics) {
  const std::vector<double> busy = busy_devices(program);
  double devices = 0;
  for (const ProgramRank& rank : program.ranks) devices += rank.multiplicity;
  std::array<double, traffic_kinds> time{};
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    const bool collective = type.kind == OpKind::collective;
    if (!collective && type.kind != OpKind::copy && type.kind != OpKind::transfer) continue;
    const auto kind = static_cast<size_t>(type.traffic);
    const Span& span = timeline.spans[op];
    const double members =
        collective ? static_cast<double>(program.groups[program.ops[op].peer].size()) : 1;
    metrics.communication[kind].bytes += bytes_sent(type, members) / members * busy[op];
    time[kind] += in_seconds(span.end - span.start) * busy[op];
  }
  for (size_t kind = 0; kind < traffic_kinds; ++kind)
    metrics.communication[kind].time = seconds(time[kind] / devices);
}

}  // namespace pipewright
