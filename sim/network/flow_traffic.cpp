#include "network/flow_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.hpp"

namespace pipewright {
namespace {

Time arrival(const TrafficFlow& flow) {
  Time time;
  if (__builtin_add_overflow(flow.start.ps, flow.latency.ps, &time.ps))
    throw Failure("the simulated time exceeds the clock's range of 106 days");
  return time;
}

std::vector<uint32_t> by_arrival(std::span<const TrafficFlow> flows) {
  std::vector<uint32_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return arrival(flows[a]) < arrival(flows[b]); });
  return order;
}

}  // namespace

std::vector<Bandwidth> shared_capacities(const Topology& topology) {
  std::vector<Bandwidth> capacities;
  for (const Link& link : topology.links()) capacities.push_back(link.bandwidth);
  return capacities;
}

std::vector<uint32_t> shared_links(const Topology& topology, const Route& route) {
  std::vector<uint32_t> links;
  for (const LinkId link : route.links) {
    const bool shared = topology.links()[link].sharing == Sharing::shared;
    links.push_back(shared ? std::min(link, opposite(link)) : link);
  }
  return links;
}

std::vector<Time> run_traffic(std::span<const TrafficFlow> flows, SharingModel& network) {
  const std::vector<uint32_t> order = by_arrival(flows);
  std::vector<Time> ends(flows.size(), longest_time);
  std::vector<uint32_t> ended;
  size_t begun = 0;
  for (;;) {
    const Time next = begun < order.size() ? arrival(flows[order[begun]]) : longest_time;
    const Time now = std::min(next, network.next_completion());
    if (now == longest_time) break;
    ended.clear();
    network.pop_completed(now, ended);
    for (const uint32_t flow : ended) ends[flow] = now;
    for (; begun < order.size() && arrival(flows[order[begun]]) == now; ++begun) {
      const TrafficFlow& flow = flows[order[begun]];
      network.add({.id = order[begun],
                   .links = flow.links,
                   .bytes = flow.bytes,
                   .weight = flow.weight,
                   .cap = flow.cap,
                   .priority = flow.priority},
                  now);
    }
  }
  const auto stuck = std::find(ends.begin(), ends.end(), longest_time);
  if (stuck != ends.end())
    throw Failure(fmt::format("flow {} gets no bandwidth and never ends", stuck - ends.begin()));
  return ends;
}

}  // namespace pipewright
