#include "calibrate/replay/shared_cores.hpp"

#include <map>

#include "engine/contention.hpp"
#include "engine/engine.hpp"

namespace pipewright::replay {
namespace {

/// Progress is counted in nanoseconds of an op alone.
constexpr double per_second = 1e9;

Contention share_cores(const Program& program, std::span<const Time> duration, int cores) {
  Contention contention;
  contention.way_of.assign(program.ops.size(), none);
  SharedLink all{.capacity = per_second * cores};
  std::map<Time, uint32_t> way_of;
  for (OpId op = 0; op < program.ops.size(); ++op) {
    if (duration[op] == Time{}) continue;
    const auto [found, is_new] =
        way_of.try_emplace(duration[op], static_cast<uint32_t>(contention.ways.size()));
    contention.way_of[op] = found->second;
    if (!is_new) continue;
    const double ns = in_seconds(duration[op]) * per_second;
    contention.ways.push_back({.bytes = ns, .bandwidth = per_second, .computes = true});
    all.loads.push_back({.way = found->second, .bytes = ns});
  }
  contention.links.push_back(std::move(all));
  return contention;
}

}  // namespace

Timeline simulate_on_cores(const Program& program, std::span<const Time> duration, int cores) {
  const Contention contention = share_cores(program, duration, cores);
  return run_events(program, duration, nullptr, &contention);
}

}  // namespace pipewright::replay
