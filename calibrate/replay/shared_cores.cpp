#include "calibrate/replay/shared_cores.hpp"

#include <algorithm>
#include <map>

#include "engine/contention.hpp"
#include "engine/engine.hpp"

namespace pipewright::replay {
namespace {

/// Progress is counted in nanoseconds of an op alone.
constexpr double per_second = 1e9;

/// `host_of` gives the host on one of whose cores an op runs, `none` for an op that needs none.
template <class F>
Contention share_cores(const Program& program, std::span<const Time> duration,
                       std::span<const int> cores, F&& host_of) {
  Contention contention;
  contention.way_of.assign(program.ops.size(), none);
  for (const int count : cores) contention.links.push_back({.capacity = per_second * count});
  std::map<std::pair<uint32_t, Time>, uint32_t> way_of;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const uint32_t host = duration[op] == Time{} ? none : host_of(op);
    if (host == none) continue;
    const auto [found, is_new] =
        way_of.try_emplace({host, duration[op]}, static_cast<uint32_t>(contention.ways.size()));
    contention.way_of[op] = found->second;
    if (!is_new) continue;
    const double ns = in_seconds(duration[op]) * per_second;
    contention.ways.push_back({.bytes = ns, .bandwidth = per_second, .computes = true});
    contention.links[host].loads.push_back({.way = found->second, .bytes = ns});
  }
  return contention;
}

}  // namespace

Timeline simulate_on_cores(const Program& program, std::span<const Time> duration, int cores) {
  const auto one_host = [](OpId) { return uint32_t{0}; };
  const Contention contention = share_cores(program, duration, {&cores, 1}, one_host);
  return run_events(program, duration, nullptr, &contention);
}

Timeline simulate_on_hosts(const Program& program, std::span<const Time> duration,
                           const Hosts& hosts) {
  const auto host_of = [&](OpId op) {
    const OpKind kind = program.type(op).kind;
    const bool computes = kind == OpKind::compute || kind == OpKind::step;
    return computes ? hosts.of_rank[program.ops[op].rank] : none;
  };
  const Contention contention = share_cores(program, duration, hosts.cores, host_of);
  return run_events(program, duration, nullptr, &contention);
}

int Hosts::place(uint32_t rank) const {
  return static_cast<int>(std::count(of_rank.begin(), of_rank.begin() + rank, of_rank[rank]));
}

int Hosts::turns() const {
  int most = 1;
  for (uint32_t rank = 0; rank < of_rank.size(); ++rank)
    most = std::max(most, place(rank) / cores[of_rank[rank]] + 1);
  return most;
}

}  // namespace pipewright::replay
