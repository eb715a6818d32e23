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

/// The idle time of its compute lane just before each op that starts later than the one before it
/// ended.
std::vector<Time> gaps(const Program& program, const Timeline& timeline) {
  std::vector<Time> gap(program.ops.size());
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    if (!computes(program.lanes[lane].stream)) continue;
    Time end;
    for (const OpId op : program.order(lane)) {
      if (program.type(op).kind == OpKind::transfer) continue;
      gap[op] = timeline.spans[op].start - end;
      end = timeline.spans[op].end;
    }
  }
  return gap;
}

/// Visits what can wait for a communication: what follows it, or, in a trace, what follows its
/// receiver.
template <typename Visit>
void for_each_waiter(const Program& program, OpId op, Visit visit) {
  const bool trace = !program.labels.empty();
  for (const Edge edge : program.after(op)) {
    if (edge.is_lane()) continue;
    if (!trace || program.type(edge.to()).kind != OpKind::marker) {
      visit(edge.to());
      continue;
    }
    for (const Edge next : program.after(edge.to()))
      if (!next.is_lane()) visit(next.to());
  }
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

/// Returns what part of its device each server of a rank is.
std::vector<double> server_parts(const Program& program) {
  std::vector<double> parts(program.ranks.size(), 1);
  for (const Lane& lane : program.lanes)
    if (lane.stream == Stream::backward) parts[lane.rank] = 0.5;
  return parts;
}

}  // namespace

void measure_communication(const Program& program, const Timeline& timeline, Metrics& metrics) {
  std::vector<Time> gap = gaps(program, timeline);
  const std::vector<double> busy = busy_devices(program);
  const std::vector<double> part = server_parts(program);
  double devices = 0;
  for (const ProgramRank& rank : program.ranks) devices += rank.multiplicity;
  std::array<double, traffic_kinds> time{}, exposed{};
  std::vector<double> exposed_by_rank(program.ranks.size());
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    const bool copies = type.kind == OpKind::copy;
    if (!copies && type.kind != OpKind::transfer && type.kind != OpKind::collective) continue;
    const auto kind = static_cast<size_t>(type.traffic);
    const Span& span = timeline.spans[op];
    for_each_waiter(program, op, [&](OpId next) {
      if (timeline.spans[next].start != span.end) return;
      // What starts when this ends waited for it; of several such ops the first takes the blame.
      Time& idle = gap[next];
      const uint32_t rank = program.ops[next].rank;
      const double waited = in_seconds(std::min(idle, span.end - span.start)) * part[rank];
      exposed[kind] += waited * program.ranks[rank].multiplicity;
      exposed_by_rank[rank] += waited;
      idle = Time{};
    });
    const bool collective = type.kind == OpKind::collective;
    const double members =
        collective ? static_cast<double>(program.groups[program.ops[op].peer].size()) : 1;
    metrics.communication[kind].bytes += bytes_sent(type, members) / members * busy[op];
    time[kind] += in_seconds(span.end - span.start) * busy[op];
  }
  for (size_t kind = 0; kind < traffic_kinds; ++kind) {
    metrics.communication[kind].time = seconds(time[kind] / devices);
    metrics.communication[kind].exposed = seconds(exposed[kind] / devices);
  }
  for (uint32_t rank = 0; rank < program.ranks.size(); ++rank) {
    RankResult& result = metrics.ranks[static_cast<size_t>(program.ranks[rank].pipeline)];
    result.exposed_communication =
        std::max(result.exposed_communication, seconds(exposed_by_rank[rank]));
  }
}

}  // namespace pipewright
