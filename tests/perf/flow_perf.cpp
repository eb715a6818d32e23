// Speed of max-min sharing: random flows between the 1,024 hosts of a fat-tree at 50 GB/s, and its
// growth. Every completion changes the rates of others.
//   at_once   all start together
//   spread    they start within 10 s, and meet a few others
//   incast    all go to one host
#include <benchmark/benchmark.h>

#include "network/flow_traffic.hpp"
#include "network/max_min.hpp"
#include "support/fat_tree_traffic.hpp"

namespace pipewright::test {
namespace {

void measure(benchmark::State& state, const FatTree& tree, const RandomTraffic& traffic) {
  const std::vector<Bandwidth> capacities(tree.links(), Bandwidth{50e9});
  std::vector<TrafficFlow> flows;
  for (size_t flow = 0; flow < traffic.routes.size(); ++flow)
    flows.push_back({traffic.routes[flow], Time{}, traffic.bytes[flow], traffic.starts[flow]});
  for (auto _ : state) {
    MaxMinSharing network(capacities);
    benchmark::DoNotOptimize(run_traffic(flows, network));
  }
  state.counters["flows/s"] = benchmark::Counter(static_cast<double>(flows.size()),
                                                 benchmark::Counter::kIsIterationInvariantRate);
}

size_t flows_of(const benchmark::State& state) { return static_cast<size_t>(state.range(0)); }

void at_once(benchmark::State& state) {
  const FatTree tree(16);
  measure(state, tree, random_traffic(tree, flows_of(state), Time{}));
}
BENCHMARK(at_once)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);
BENCHMARK(at_once)->Arg(30'000)->Arg(100'000)->Iterations(1)->Unit(benchmark::kMillisecond);

void spread(benchmark::State& state) {
  const FatTree tree(16);
  measure(state, tree, random_traffic(tree, flows_of(state), milliseconds(10'000)));
}
BENCHMARK(spread)->RangeMultiplier(10)->Range(1'000, 1'000'000)->Unit(benchmark::kMillisecond);

void incast(benchmark::State& state) {
  const FatTree tree(16);
  RandomTraffic traffic = random_traffic(tree, flows_of(state), Time{});
  std::mt19937_64 random(7);
  for (std::vector<uint32_t>& route : traffic.routes)
    route = tree.route(1 + FatTree::draw(random, tree.hosts() - 1), 0, random);
  measure(state, tree, traffic);
}
BENCHMARK(incast)->RangeMultiplier(10)->Range(100, 10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipewright::test
