#include "calibrate/live/executor/shared_cores.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>

#include "engine/contention.hpp"
#include "engine/engine.hpp"

namespace pipewright::live {
namespace {

/// Progress is counted in nanoseconds of an op alone.
constexpr double per_second = 1e9;
/// The parts of a memory's bandwidth.
constexpr int parts = 1000;
constexpr int no_limit = 1 << 20;

struct HostNeeds {
  uint32_t host = none;  ///< on one of whose cores and in whose memory the op runs; `none`: neither
  Time alone;
  int of_memory = 0;  ///< parts
  auto operator<=>(const HostNeeds&) const = default;
};

/// Link h has the cores of host h, of which there are `cores[h]`, link h + hosts its memory.
Contention share(const std::vector<HostNeeds>& ops, std::span<const int> cores) {
  Contention contention;
  for (const int count : cores) contention.links.push_back({.capacity = per_second * count});
  for (size_t host = 0; host < cores.size(); ++host)
    contention.links.push_back({.capacity = per_second * parts});
  std::map<HostNeeds, uint32_t> route_of;
  for (const HostNeeds& op : ops) {
    if (op.host == none || op.alone == Time{}) {
      contention.route_of.push_back(none);
      continue;
    }
    const auto [found, is_new] =
        route_of.try_emplace(op, static_cast<uint32_t>(contention.routes.size()));
    const uint32_t route = contention.route_of.emplace_back(found->second);
    if (!is_new) continue;
    const double ns = in_seconds(op.alone) * per_second;
    contention.routes.push_back({.bytes = ns, .bandwidth = per_second, .computes = true});
    contention.links[op.host].loads.push_back({route, ns});
    if (op.of_memory > 0)
      contention.links[cores.size() + op.host].loads.push_back({route, ns, op.of_memory});
  }
  return contention;
}

/// `host_of` gives the host of an op, `none` for one that needs no core.
template <class F>
Timeline simulate_shared(const Program& program, const OpTimes& times, std::span<const int> cores,
                         F&& host_of) {
  std::vector<HostNeeds> needs;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    const double of_memory = times.memory.empty() ? 0 : times.memory[op];
    needs.push_back(
        {host_of(op), times.alone[op], static_cast<int>(std::lround(parts * of_memory))});
  }
  const Contention contention = share(needs, cores);
  return run_events(program, times.alone, nullptr, &contention);
}

}  // namespace

Timeline simulate_on_cores(const Program& program, const OpTimes& times, int cores) {
  return simulate_shared(program, times, {&cores, 1}, [](OpId) { return uint32_t{0}; });
}

Timeline simulate_on_partitions(const Program& program, const OpTimes& times) {
  return simulate_on_cores(program, times, no_limit);
}

Timeline simulate_on_hosts(const Program& program, const OpTimes& times, const Hosts& hosts) {
  return simulate_shared(program, times, hosts.cores, [&](OpId op) {
    const OpKind kind = program.type(op).kind;
    const bool computes = kind == OpKind::compute || kind == OpKind::step;
    return computes ? hosts.of_rank[program.ops[op].rank] : none;
  });
}

int Hosts::place(uint32_t rank) const {
  return static_cast<int>(std::count(of_rank.begin(), of_rank.begin() + rank, of_rank[rank]));
}

int Hosts::ranks_beside(uint32_t rank) const {
  return static_cast<int>(std::count(of_rank.begin(), of_rank.end(), of_rank[rank]));
}

int Hosts::at_once(uint32_t rank) const {
  return std::min(ranks_beside(rank), cores[of_rank[rank]]);
}

int Hosts::most_ranks() const {
  int most = 1;
  for (uint32_t rank = 0; rank < of_rank.size(); ++rank) most = std::max(most, place(rank) + 1);
  return most;
}

int Hosts::turns() const {
  int most = 1;
  for (uint32_t rank = 0; rank < of_rank.size(); ++rank)
    most = std::max(most, place(rank) / cores[of_rank[rank]] + 1);
  return most;
}

bool Hosts::computes(uint32_t rank, int turn) const {
  const int all = ranks_beside(rank), first = turn * cores[of_rank[rank]];
  return first < all && (place(rank) - first + all) % all < at_once(rank);
}

}  // namespace pipewright::live
