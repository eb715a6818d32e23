// Speed of a ring all-reduce of 1 GiB as flows, by ranks at one switch: one flow an edge.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <numeric>

#include "network/collectives/collective.hpp"
#include "support/clusters.hpp"

namespace pipewright::test {
namespace {

const collective::Algorithm& ring() {
  for (const collective::Algorithm* algorithm : collective::algorithms())
    if (algorithm->name == "ring") return *algorithm;
  std::abort();
}

void fluid_ring(benchmark::State& state) {
  const Cluster cluster = cluster_of(
      fmt::format("{{devices: {}, link: {{latency: 1 us, bandwidth: 25 GB/s}}}}", state.range(0)));
  std::vector<int> devices(static_cast<size_t>(state.range(0)));
  std::iota(devices.begin(), devices.end(), 0);
  for (auto _ : state) {
    const collective::Members members = collective::members_on(cluster.topology, devices);
    const auto fluid = ring().fluid(CollectiveKind::all_reduce, members, Bytes{int64_t{1} << 30});
    benchmark::DoNotOptimize(fluid_time(cluster.topology, members, fluid));
  }
}
BENCHMARK(fluid_ring)->RangeMultiplier(8)->Range(64, 32'768)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipewright::test
