#include "run/vary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/mixed.hpp"
#include "base/parallel.hpp"
#include "base/stop.hpp"
#include "machine/spread_times.hpp"
#include "run/execute.hpp"
#include "run/executed.hpp"
#include "run/jitter.hpp"
#include "run/varied_job.hpp"

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

/// Returns by device the first of its tensor-parallel group, by which kernels of all of it vary.
std::vector<int32_t> first_of_groups(const Prepared& prepared) {
  std::vector<int32_t> first;
  if (!prepared.links.topology) return first;
  first.resize(static_cast<size_t>(prepared.links.topology->devices()));
  std::iota(first.begin(), first.end(), 0);
  for (const Mesh& mesh : prepared.grid.meshes)
    for (size_t k = 0; k < mesh.devices.size(); ++k)
      first[static_cast<size_t>(mesh.devices[k])] =
          mesh.devices[k - k % static_cast<size_t>(mesh.tensor)];
  return first;
}

/// Runs one seed after the other.
class VariedRuns {
 public:
  VariedRuns(Prepared prepared, const Variation& variation)
      : prepared_(unfolded(std::move(prepared), variation)),
        variation_(variation),
        first_of_groups_(first_of_groups(prepared_)) {
    // Where no kernel varies, micro-batches that repeat each other may be left out.
    const bool same_routes = !prepared_.links.spreading.draws() && !prepared_.links.packets;
    if (variation.kernel_spread > 0 && same_routes) job_.emplace(prepared_);
  }

  /// Chips and kernels are drawn by `seed`, routes and packets by `route_seed`.
  Time run(uint64_t seed, uint64_t route_seed) const {
    std::vector<double> slowdown = chips(prepared_, variation_.compute_spread, mixed(seed));
    std::optional<Jitter> jitter;
    if (variation_.kernel_spread > 0)
      jitter = Jitter{mixed(~seed), variation_.kernel_spread, first_of_groups_};
    if (job_)
      if (const std::optional<Time> time = job_->iteration_time(slowdown, jitter)) return *time;
    Prepared one = prepared_;
    one.links.spreading.seed = route_seed;
    draw_routes(route_seed, one.prices);
    if (one.links.packets) one.links.packets->options.seed = route_seed;
    one.prices.slowdown = std::move(slowdown);
    one.jitter = jitter;
    const Executed run = execute(one);
    return iteration_time(run.program, run.timeline, one.schedule);
  }

 private:
  /// Replicas whose chips or kernels differ are each simulated.
  static Prepared unfolded(Prepared prepared, const Variation& variation) {
    if (!prepared.links.laid) prepared.links.laid = std::make_shared<LinkMemo>();
    if (variation.compute_spread > 0 || variation.kernel_spread > 0)
      prepared.folding.replicas.clear();
    return prepared;
  }

  Prepared prepared_;
  Variation variation_;
  std::vector<int32_t> first_of_groups_;
  std::optional<VariedJob> job_;  // none where a run may differ in more than its chips
};

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
  const VariedRuns runs(prepared, variation);
  in_parallel(times.size(), options.jobs, [&](size_t run) {
    stop_here();
    times[run] = runs.run(first + run, options.seed + run);
  });
  std::sort(times.begin(), times.end());
  return {quantile(times, 0.1), quantile(times, 0.5), quantile(times, 0.9), quantile(times, 0.95),
          variation.seeds};
}

}  // namespace pipewright
