// Which links carry how much: transfers along their routes, collectives as rings over their group
// in the order of its devices. Counted for the simulated ranks; those that they stand for load
// links of their own, or, where links are shared, the same ones once more.
#include <algorithm>
#include <map>

#include "study/prepare.hpp"

namespace pipewright {
namespace {

constexpr size_t most_links = 10;

/// Bytes from device to device.
using Traffics = std::map<std::pair<int32_t, int32_t>, double>;

void add_ring(const OpType& type, const std::vector<int32_t>& devices, double count,
              Traffics& traffic) {
  const auto n = static_cast<double>(devices.size());
  const double rounds = type.collective == CollectiveKind::all_reduce ? 2 : 1;
  const double bytes = rounds * static_cast<double>(type.bytes.count) * (n - 1) / n * count;
  for (size_t k = 0; k < devices.size(); ++k)
    traffic[{devices[k], devices[(k + 1) % devices.size()]}] += bytes;
}

Traffics traffic_of(const Program& program) {
  // A million ops are of a few kinds between a few ranks: count those first.
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, double> counts;
  for (const Op& op : program.ops) {
    const OpKind kind = program.types[op.type].kind;
    if (kind == OpKind::transfer) counts[{op.type, op.rank, op.peer}] += 1;
    if (kind == OpKind::collective) counts[{op.type, 0, op.peer}] += 1;
  }
  Traffics traffic;
  for (const auto& [key, count] : counts) {
    const auto& [type_index, rank, peer] = key;
    const OpType& type = program.types[type_index];
    if (type.bytes == Bytes{}) continue;
    if (type.kind == OpKind::collective) {
      if (program.groups[peer].size() > 1) add_ring(type, program.groups[peer], count, traffic);
      continue;
    }
    const int32_t from = program.ranks[rank].device, to = program.ranks[peer].device;
    if (from != to) traffic[{from, to}] += static_cast<double>(type.bytes.count) * count;
  }
  return traffic;
}

}  // namespace

std::vector<LinkUse> busiest_links(const Program& program, const Topology& topology,
                                   Time makespan) {
  std::map<LinkId, double> bytes;
  for (const auto& [pair, sent] : traffic_of(program))
    for (const LinkId link : topology.route(pair.first, pair.second).links) bytes[link] += sent;
  std::vector<std::pair<double, LinkId>> busy;
  for (const auto& [link, sent] : bytes) {
    const double capacity = topology.links()[link].bandwidth.bytes_per_s * in_seconds(makespan);
    busy.emplace_back(capacity > 0 ? -sent / capacity : 0, link);
  }
  std::sort(busy.begin(), busy.end());
  if (busy.size() > most_links) busy.resize(most_links);
  std::vector<LinkUse> uses;
  for (const auto& [fraction, link] : busy)
    uses.push_back({topology.name(link), bytes[link], fraction == 0 ? 0 : -fraction});
  return uses;
}

}  // namespace pipewright
