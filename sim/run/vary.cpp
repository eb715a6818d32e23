#include "run/vary.hpp"

#include <algorithm>
#include <cmath>

#include "base/mixed.hpp"
#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "run/execute.hpp"
#include "run/executed.hpp"
#include "run/jitter.hpp"

namespace pipewright {
namespace {

/// Returns by device how many times as long it computes, its tensor-parallel group waiting for it.
std::vector<double> chips(const Prepared& prepared, double spread, uint64_t seed) {
  const Prices& given = prepared.prices;
  std::vector<double> slowdown = given.slowdown;
  if (!prepared.links.topology) return slowdown;
  slowdown.resize(static_cast<size_t>(prepared.links.topology->devices()), 1);
  for (const Mesh& mesh : prepared.grid.meshes) {
    for (auto begin = mesh.devices.begin(); begin != mesh.devices.end(); begin += mesh.tensor) {
      double slowest = 0;
      for (auto device = begin; device != begin + mesh.tensor; ++device) {
        const double factor = std::exp(spread * normal(seed, static_cast<uint64_t>(*device)));
        slowest = std::max(slowest, given.slowdown_of(*device) * factor);
      }
      std::for_each(begin, begin + mesh.tensor,
                    [&](int32_t device) { slowdown[static_cast<size_t>(device)] = slowest; });
    }
  }
  return slowdown;
}

Time varied(const Prepared& prepared, const Variation& variation, uint64_t seed) {
  Prepared one = prepared;
  one.links.spreading.seed = seed;
  if (one.links.packets) one.links.packets->options.seed = seed;
  one.prices.slowdown = chips(prepared, variation.compute_spread, mixed(seed));
  one.folding.replicas.clear();
  if (variation.compute_spread == 0) one.folding.replicas = prepared.folding.replicas;
  if (variation.kernel_spread > 0) one.jitter = Jitter{mixed(~seed), variation.kernel_spread};
  const Executed run = execute(one);
  return iteration_time(run.program, run.timeline, one.schedule);
}

}  // namespace

Time quantile(const std::vector<Time>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const Time low = sorted[below], high = sorted[std::min(below + 1, sorted.size() - 1)];
  const double part = (place - static_cast<double>(below)) * static_cast<double>((high - low).ps);
  return low + Time{std::llround(part)};
}

Quantiles vary(const Prepared& prepared, const Variation& variation, const RunOptions& options) {
  std::vector<Time> times(static_cast<size_t>(variation.seeds));
  const uint64_t first = mixed(options.seed);
  Prepared all = prepared;
  if (!all.links.laid) all.links.laid = std::make_shared<LinkMemo>();
  in_parallel(times.size(), options.jobs, [&](size_t run) {
    stop_here();
    times[run] = varied(all, variation, first + run);
  });
  std::sort(times.begin(), times.end());
  return {quantile(times, 0.1), quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.95),
          variation.seeds};
}

}  // namespace pipewright
