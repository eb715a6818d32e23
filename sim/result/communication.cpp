#include <algorithm>
#include <map>

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
std::vector<int64_t> busy_devices(const Program& program) {
  std::vector<int64_t> busy(program.ops.size());
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const Op& o = program.ops[op];
    const OpKind kind = program.type(op).kind;
    if (kind == OpKind::transfer || kind == OpKind::copy)
      busy[op] = program.type(op).resharding != none ? 1 : program.ranks[o.rank].multiplicity;
    // In a trace a collective holds no lane, and every rank stands for itself.
    if (kind == OpKind::collective && o.lane == none)
      busy[op] = static_cast<int64_t>(program.groups[o.peer].size());
  }
  for (LaneId lane = 0; lane < program.lanes.size(); ++lane) {
    const int32_t likes = program.ranks[program.lanes[lane].rank].multiplicity;
    for (const OpId op : program.order(lane))
      if (program.type(op).kind == OpKind::collective) busy[op] += likes;
  }
  return busy;
}

__extension__ using Wide = __int128;

/// Sums over all devices, exact whatever is repeated.
class CommunicationSums {
 public:
  /// `busy` devices each send the same share of what `members` do, for so long.
  void add(const OpType& type, size_t members, int64_t busy, Time time) {
    time_[static_cast<size_t>(type.traffic)] += Wide{time.ps} * busy;
    devices_[{&type, members}] += busy;
  }

  std::array<Communication, traffic_kinds> take(int64_t devices) const {
    std::array<Communication, traffic_kinds> all{};
    for (const auto& [sort, busy] : devices_) {
      const auto& [type, members] = sort;
      const auto n = static_cast<double>(members);
      all[static_cast<size_t>(type->traffic)].bytes += bytes_sent(*type, n) / n * as_double(busy);
    }
    for (size_t kind = 0; kind < traffic_kinds; ++kind)
      all[kind].time.ps =
          static_cast<int64_t>((time_[kind] + devices / 2) / std::max<int64_t>(1, devices));
    return all;
  }

 private:
  std::array<Wide, traffic_kinds> time_{};
  std::map<std::pair<const OpType*, size_t>, int64_t> devices_;  ///< by type and members
};

}  // namespace

void measure_communication(const Program& program, const Timeline& timeline, Metrics& metrics) {
  const std::vector<int64_t> busy = busy_devices(program);
  int64_t devices = 0;
  for (const ProgramRank& rank : program.ranks) devices += rank.multiplicity;
  CommunicationSums sums;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const OpType& type = program.type(op);
    const bool collective = type.kind == OpKind::collective;
    if (!collective && type.kind != OpKind::copy && type.kind != OpKind::transfer) continue;
    const size_t members = collective ? program.groups[program.ops[op].peer].size() : 1;
    const Span& span = timeline.spans[op];
    sums.add(type, members, busy[op] * timeline.times(program.ops[op].rank, span),
             span.end - span.start);
  }
  metrics.communication = sums.take(devices);
}

}  // namespace pipewright
