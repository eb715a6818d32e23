#include "network/flow_traffic.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock_exceeded.hpp"
#include "base/error.hpp"
#include "base/event_queue.hpp"
#include "base/stop.hpp"
#include "network/flow_starts.hpp"

namespace pipewright {
namespace {

/// Latency goes by before bytes share links.
Time arrival(const TrafficFlow& flow, Time begin) { return later(begin, flow.latency); }

class Traffic {
 public:
  Traffic(std::span<const TrafficFlow> flows, SharingModel& network)
      : flows_(flows), network_(network), starts_(flows), ends_(flows.size(), longest_time) {}

  std::vector<Time> run() {
    starts_.at_first([&](uint32_t flow, Time begin) { await(flow, begin); });
    for (;;) {
      const Time now = std::min(arrivals_.next(), network_.next_completion());
      if (now == longest_time) break;
      stop_here();
      ended_.clear();
      network_.pop_completed(now, ended_);
      for (const uint32_t flow : ended_) end(flow, now);
      while (arrivals_.next() == now) take_arrivals();
    }
    return std::move(ends_);
  }

 private:
  void await(uint32_t flow, Time begin) { arrivals_.push(arrival(flows_[flow], begin), flow); }

  void end(uint32_t flow, Time now) {
    ends_[flow] = now;
    starts_.ended(flow, now, [&](uint32_t next, Time begin) { await(next, begin); });
  }

  void take_arrivals() {
    std::vector<uint32_t> arrived;
    const Time now = arrivals_.take(arrived);
    for (const uint32_t id : arrived) {
      const TrafficFlow& flow = flows_[id];
      if (flow.links.empty()) {
        end(id, now);
        continue;
      }
      network_.add({.id = id,
                    .links = flow.links,
                    .bytes = flow.bytes,
                    .weight = flow.weight,
                    .cap = flow.cap,
                    .priority = flow.priority},
                   now);
    }
  }

  std::span<const TrafficFlow> flows_;
  SharingModel& network_;
  FlowStarts<TrafficFlow> starts_;
  EventQueue arrivals_;
  std::vector<uint32_t> ended_;
  std::vector<Time> ends_;
};

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
  std::vector<Time> ends = Traffic(flows, network).run();
  const auto stuck = std::find(ends.begin(), ends.end(), longest_time);
  if (stuck != ends.end())
    throw Failure(fmt::format("flow {} gets no bandwidth and never ends", stuck - ends.begin()));
  return ends;
}

}  // namespace pipewright
