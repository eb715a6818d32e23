// Speed of the packet network: random flows between the 1,024 hosts of a fat-tree at 50 GB/s, in
// packets of 9000 bytes, each counted once for every port it crosses.
//   spread   they start within 100 ms and meet a few others: queues are short
//   at_once  they start together: queues fill, packets are lost and sent again
#include <benchmark/benchmark.h>

#include "network/packet/packet_network.hpp"
#include "support/fat_tree_traffic.hpp"

namespace pipewright::test {
namespace {

void measure_packets(benchmark::State& state, Time spread) {
  const FatTree tree(16);
  const RandomTraffic traffic = random_traffic(tree, static_cast<size_t>(state.range(0)), spread);
  const std::vector<Bandwidth> ports(tree.links(), Bandwidth{50e9});
  std::vector<PacketRoute> routes;
  for (const std::vector<uint32_t>& links : traffic.routes) {
    PacketRoute& route = routes.emplace_back();
    for (const uint32_t link : links) route.push_back({link, microseconds(1)});
  }
  std::vector<PacketFlow> flows;
  for (size_t flow = 0; flow < routes.size(); ++flow)
    flows.push_back({{&routes[flow]}, traffic.bytes[flow], traffic.starts[flow]});
  uint64_t sent = 0;
  for (auto _ : state) sent += run_packets(flows, ports, {}).sent;
  state.counters["packets/s"] =
      benchmark::Counter(static_cast<double>(sent), benchmark::Counter::kIsRate);
}

void packets_spread(benchmark::State& state) { measure_packets(state, milliseconds(100)); }
BENCHMARK(packets_spread)->Arg(100)->Arg(1'000)->Unit(benchmark::kMillisecond);

void packets_at_once(benchmark::State& state) { measure_packets(state, Time{}); }
BENCHMARK(packets_at_once)->Arg(100)->Arg(1'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace pipewright::test
