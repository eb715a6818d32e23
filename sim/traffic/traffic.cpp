#include "traffic/traffic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/clock.hpp"
#include "base/required.hpp"
#include "experiment/resolved_document.hpp"
#include "run/link_use.hpp"
#include "run/vary.hpp"
#include "traffic/exchange.hpp"

namespace pipewright {
namespace {

/// Device numbers that take part, ascending.
std::vector<int> devices_of(const std::vector<FlowResult>& flows) {
  std::vector<int> devices;
  for (const FlowResult& flow : flows) {
    devices.push_back(flow.from);
    devices.push_back(flow.to);
  }
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

/// Flows as transfers without dependencies, so that reports show them as any other.
void add_program(Run& run) {
  ProgramBuilder builder;
  const std::vector<int> devices = devices_of(run.result.traffic.flows);
  for (const int device : devices)
    builder.program.ranks.push_back({.pipeline = device, .device = device});
  const auto rank = [&](int device) {
    return static_cast<uint32_t>(std::lower_bound(devices.begin(), devices.end(), device) -
                                 devices.begin());
  };
  std::unordered_map<int64_t, uint32_t> type_of;
  const uint32_t prefix = builder.program.label_table.add_prefix("flow ");
  run.timeline.executor = "simulated";
  for (const FlowResult& flow : run.result.traffic.flows) {
    std::vector<OpType>& types = builder.program.types;
    const auto [type, is_new] =
        type_of.try_emplace(flow.bytes.count, static_cast<uint32_t>(types.size()));
    if (is_new) types.push_back({.kind = OpKind::transfer, .bytes = flow.bytes});
    const OpId op =
        builder.add({.type = type->second, .rank = rank(flow.from), .peer = rank(flow.to)});
    builder.program.labels.push_back({prefix, op});
    run.timeline.spans.push_back({flow.start, flow.start, flow.end});
  }
  run.program = std::move(builder).finish();
}

Metrics metrics_of(const std::vector<FlowResult>& flows) {
  Metrics metrics;
  Time first = longest_time, last;
  for (const FlowResult& flow : flows) {
    first = std::min(first, flow.start);
    last = std::max(last, flow.end);
    metrics.communication[0].bytes += static_cast<double>(flow.bytes.count);
  }
  metrics.makespan = metrics.iteration = last - first;
  return metrics;
}

/// The longest chain of flows, each alone, from the first of them on.
Time longest_chain(const std::vector<GivenFlow>& flows, const std::vector<Time>& alone) {
  Time longest;
  std::vector<Time> chains;
  for (size_t k = 0; k < flows.size(); ++k) {
    Time chain;
    for (const uint32_t before : flows[k].after)
      chain = std::max(chain, chains[before] + flows[k].delay);
    chains.push_back(chain + (alone[k] - begin_of(flows[k], alone)));
    longest = std::max(longest, chains.back());
  }
  return longest;
}

/// The longest chain and, where links are shared, all bytes over the busiest one. `alone` is when
/// each flow ends that meets no other.
void add_bounds(const std::vector<GivenFlow>& flows, const std::vector<Time>& alone,
                bool shares_links, RunResult& result) {
  Metrics& metrics = result.metrics;
  metrics.bounds.longest_chain = longest_chain(flows, alone);
  Time cut;
  if (shares_links && !result.links.empty())
    cut.ps = static_cast<int64_t>(result.links.front().busy_fraction *
                                  static_cast<double>(metrics.makespan.ps));
  add_cut(cut, metrics);
}

/// Refuses keys that have no meaning under the network.
void check_keys(const std::vector<GivenFlow>& flows, NetworkKind network) {
  const auto refuse = [&](const GivenFlow& flow, const char* key) {
    throw InputError(flow.mark.where(),
                     fmt::format("'{}' means nothing under 'network: {}'", key,
                                 choices::network[static_cast<size_t>(network)]));
  };
  for (const GivenFlow& flow : flows) {
    if (network == NetworkKind::flow) continue;
    if (flow.weight != 1) refuse(flow, "weight");
    if (flow.cap != GivenFlow{}.cap) refuse(flow, "cap");
    if (flow.priority != 0 && network != NetworkKind::packet) refuse(flow, "priority");
  }
}

std::vector<Time> add_packets(PacketTraffic traffic, Run& run) {
  std::vector<Time> ends;
  uint64_t dropped = 0, small = 0, repeated = 0, timeouts = 0;
  for (const PacketFlowResult& flow : traffic.flows) {
    ends.push_back(flow.end);
    dropped += flow.dropped;
    small += flow.dropped_small;
    repeated += flow.repeated;
    timeouts += flow.timeouts;
  }
  run.result.notes.push_back(
      fmt::format("{} packet{} dropped{} and {} sent again, after {} time-out{}", dropped,
                  dropped == 1 ? " was" : "s were",
                  small > 0 ? fmt::format(", {} of them with small gradients,", small) : "",
                  repeated, timeouts, timeouts == 1 ? "" : "s"));
  run.result.cost.events = traffic.events;
  run.result.traffic.packets = std::move(traffic.flows);
  return ends;
}

std::vector<Time> run_flows(const Experiment& experiment, const std::vector<GivenFlow>& flows,
                            const FlowPaths& paths, const Topology& topology, uint64_t seed,
                            Run& run) {
  run.result.cost.events = 2 * flows.size();
  try {
    if (experiment.network.kind != NetworkKind::packet)
      return flow_ends(flows, paths, topology, experiment.network);
    PacketOptions options = experiment.network.packet;
    options.seed = seed;
    return add_packets(packet_traffic(flows, topology, options), run);
  } catch (const Failure& failure) {  // too long for the clock: what is asked for cannot be
    experiment.traffic->fail(failure.what());
  }
}

/// Returns the flows with the bytes that must arrive, which alone bound a run with packets; a
/// picosecond may be lost at each rounding.
std::vector<GivenFlow> what_must_arrive(std::vector<GivenFlow> flows,
                                        const PacketOptions& options) {
  const bool bounded = options.transport == Transport::bounded_loss;
  for (GivenFlow& flow : flows) {
    const double needed = static_cast<double>(flow.bytes.count) * (bounded ? 1 - options.loss : 1);
    flow.bytes.count =
        std::max<int64_t>(0, static_cast<int64_t>(needed * (1 - 1e-9)) - 2 * options.mtu.count);
  }
  return flows;
}

/// Returns when each flow ends that meets no other, at the earliest where it is packets.
std::vector<Time> least_ends(const std::vector<GivenFlow>& flows, const FlowPaths& paths,
                             const Topology& topology, const NetworkOptions& network) {
  if (network.kind == NetworkKind::packet)
    return least_packet_ends(what_must_arrive(flows, network.packet), topology, network.packet);
  return flow_ends(flows, paths, topology, {.kind = NetworkKind::alpha_beta});
}

/// Returns when the last flow ends, with routes or packets drawn by `seed`.
Time last_end(const std::vector<GivenFlow>& flows, const Topology& topology,
              const NetworkOptions& network, SpreadRoutes& routes, uint64_t seed) {
  Time last;
  if (network.kind == NetworkKind::packet) {
    PacketOptions options = network.packet;
    options.seed = seed;
    for (const PacketFlowResult& flow : packet_traffic(flows, topology, options).flows)
      last = std::max(last, flow.end);
    return last;
  }
  routes.draw_by(seed);
  for (const Time end : flow_ends(flows, paths_of(flows, topology, routes), topology, network))
    last = std::max(last, end);
  return last;
}

/// Adds the times from the first start to the last end, drawn by one seed after the other. By the
/// first of them the flows have ended at `ends`.
void add_draws(const std::vector<GivenFlow>& flows, const std::vector<Time>& ends,
               const Topology& topology, const NetworkOptions& network, SpreadRoutes& routes,
               uint64_t seed, RunResult& result) {
  Time first = longest_time;
  for (const GivenFlow& flow : flows) first = std::min(first, flow.start);
  const int seeds = network.flow.seeds;
  std::vector<Time> spans{std::ranges::max(ends) - first};
  for (int draw = 1; draw < seeds; ++draw)
    spans.push_back(last_end(flows, topology, network, routes, seed + static_cast<uint64_t>(draw)) -
                    first);
  std::sort(spans.begin(), spans.end());
  result.ranges.variation = {quantile(spans, 0.1), quantile(spans, 0.5), quantile(spans, 0.9),
                             quantile(spans, 0.95), seeds};
}

}  // namespace

std::vector<GivenFlow> flows_of(const Experiment& experiment, const Machine& machine,
                                const config::Catalogue& catalogue) {
  const config::Value& traffic = required(experiment.traffic, "a traffic experiment");
  return traffic.is_map() ? exchange_flows(experiment, traffic, machine, catalogue)
                          : read_flows(traffic, machine.device_count());
}

Run run_traffic_experiment(const Experiment& experiment, const config::Catalogue& catalogue,
                           uint64_t seed) {
  FlowOptions options = experiment.network.flow;
  const Machine machine = read_machine(experiment, catalogue);
  const std::vector<GivenFlow> flows = flows_of(experiment, machine, catalogue);
  check_keys(flows, experiment.network.kind);
  Run run;
  RunResult& result = run.result;
  const Topology& topology = machine.links();
  const ClockTime begin = now();
  options.spreading.seed = seed;
  SpreadRoutes routes(topology, options.spreading);
  const FlowPaths paths = paths_of(flows, topology, routes);
  const std::vector<Time> ends = run_flows(experiment, flows, paths, topology, seed, run);
  result.cost.wall_s = seconds_since(begin);
  for (size_t k = 0; k < flows.size(); ++k)
    result.traffic.flows.push_back(
        {flows[k].from, flows[k].to, flows[k].bytes, begin_of(flows[k], ends), ends[k]});
  result.experiment = resolved_document(experiment);
  result.schedule = "traffic";
  result.metrics = metrics_of(result.traffic.flows);
  add_program(run);
  const bool packets = experiment.network.kind == NetworkKind::packet;
  const bool sprays = packets && experiment.network.packet.spray;
  const Spreading counted{.how = sprays ? Spreading::How::all : Spreading::How::first};
  const LinkBytes carried = packets ? bytes_by_link(run.program, topology, {}, counted)
                                    : bytes_by_link(flows, paths, topology);
  result.links = busiest_links(topology, carried, result.metrics.makespan);
  add_bounds(flows, least_ends(flows, paths, topology, experiment.network),
             experiment.network.kind == NetworkKind::flow, result);
  const bool draws =
      packets ? is_drawn(flows, topology, experiment.network.packet) : experiment.network.draws();
  if (draws && !flows.empty())
    add_draws(flows, ends, topology, experiment.network, routes, seed, result);
  return run;
}

}  // namespace pipewright
