// Speed of a ring all-reduce of 1 GiB as flows, by ranks at one switch: one flow an edge. What one
// time of NCCL's costs: worked out, and from the memo, where groups placed alike find it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <numeric>

#include "config/catalogue.hpp"
#include "network/collectives/collective.hpp"
#include "network/nccl/time_memo.hpp"
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

CollectiveProfile h100_collectives() {
  return read_collective_profile(config::scalar("h100-sxm"), config::Catalogue()).value();
}

/// The all-reduce of a tensor-parallel group.
NcclRequest within_a_node(int64_t bytes) {
  return {.kind = CollectiveKind::all_reduce,
          .ranks = 8,
          .on_switch = true,
          .ring_bandwidth = 450e9,
          .bytes = {bytes}};
}

void nccl_time_first(benchmark::State& state) {
  const CollectiveProfile profile = h100_collectives();
  const NcclRequest request = within_a_node(1 << 24);
  for (auto _ : state) benchmark::DoNotOptimize(nccl_time(profile, request));
}
BENCHMARK(nccl_time_first)->Unit(benchmark::kMicrosecond);

void nccl_time_remembered(benchmark::State& state) {
  const CollectiveProfile profile = h100_collectives();
  const GroupProfiles profiles{&profile};
  TimeMemo memo;
  const NcclRequest request = within_a_node(1 << 24);
  for (auto _ : state) benchmark::DoNotOptimize(memo.of(profiles, request));
}
BENCHMARK(nccl_time_remembered);

}  // namespace
}  // namespace pipewright::test
