// When flows end: each over its ways alone, or with the links shared.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/clock_exceeded.hpp"
#include "network/alpha_beta.hpp"
#include "network/flow_starts.hpp"
#include "network/flow_traffic.hpp"
#include "network/max_min.hpp"
#include "traffic/traffic.hpp"

namespace pipewright {
namespace {

/// Returns one of so many parts that are as even as whole bytes can be.
Bytes part_of(Bytes bytes, size_t part, size_t parts) {
  const auto count = static_cast<int64_t>(parts);
  return {bytes.count / count + (static_cast<int64_t>(part) < bytes.count % count ? 1 : 0)};
}

/// The last part to arrive ends a flow.
std::vector<Time> ends_alone(const std::vector<GivenFlow>& flows, const FlowPaths& paths) {
  std::vector<Time> ends;
  for (size_t k = 0; k < flows.size(); ++k) {
    const GivenFlow& flow = flows[k];
    const Time begin = begin_of(flow, ends);
    Time& end = ends.emplace_back(begin);
    if (flow.from == flow.to) continue;
    for (size_t part = 0; part < paths[k]->size(); ++part) {
      const Bytes bytes = part_of(flow.bytes, part, paths[k]->size());
      const Time length = AlphaBeta::transfer((*paths[k])[part].route, bytes);
      end = std::max(end, later(begin, length));
    }
  }
  return ends;
}

/// Flows as their parts; what comes after a flow comes after all of its parts.
struct Parts {
  std::vector<TrafficFlow> sharing;
  std::vector<uint32_t> first;               // by flow, and one more
  std::vector<std::vector<uint32_t>> after;  // by flow

  Parts(const std::vector<GivenFlow>& flows, const FlowPaths& paths)
      : first{0}, after(flows.size()) {
    for (size_t k = 0; k < flows.size(); ++k) {
      for (const uint32_t before : flows[k].after)
        for (uint32_t part = first[before]; part < first[before + 1]; ++part)
          after[k].push_back(part);
      for (size_t part = 0; part < paths[k]->size(); ++part)
        sharing.push_back(one(flows[k], *paths[k], part, after[k]));
      first.push_back(static_cast<uint32_t>(sharing.size()));
    }
  }

  static TrafficFlow one(const GivenFlow& flow, const std::vector<FlowPath>& paths, size_t part,
                         const std::vector<uint32_t>& after) {
    const auto parts = static_cast<double>(paths.size());
    return {.links = paths[part].links,
            .latency = paths[part].route.latency,
            .bytes = part_of(flow.bytes, part, paths.size()),
            .start = flow.start,
            .weight = flow.weight / parts,
            .cap = flow.cap.bytes_per_s / parts,
            .priority = flow.priority,
            .after = after,
            .delay = flow.delay};
  }
};

/// Weights are relative, and sharing holds them and their sums as whole numbers. Scales them into
/// its range where they are not.
void scale_weights(std::vector<TrafficFlow>& flows) {
  constexpr double least = 0x1p-20, most = 0x1p20, most_together = 0x1p29;
  double lowest = std::numeric_limits<double>::infinity(), highest = 0, sum = 0;
  for (const TrafficFlow& flow : flows) {
    lowest = std::min(lowest, flow.weight);
    highest = std::max(highest, flow.weight);
    sum += flow.weight;
  }
  if (flows.empty() || (lowest >= least && sum <= most_together)) return;
  const double scale =
      std::exp2(std::floor(std::log2(std::min(most / highest, most_together / sum))));
  if (lowest * scale < least)
    throw Failure(fmt::format(
        "weights from {:g} to {:g} of parts of flows differ too much to be held together", lowest,
        highest));
  for (TrafficFlow& flow : flows) flow.weight *= scale;
}

std::vector<Time> ends_sharing(const std::vector<GivenFlow>& flows, const FlowPaths& paths,
                               const Topology& topology, double tolerance) {
  const std::vector<Bandwidth> capacities = shared_capacities(topology);
  MaxMinSharing network(capacities, tolerance);
  Parts parts(flows, paths);
  scale_weights(parts.sharing);
  const std::vector<Time> there = run_traffic(parts.sharing, network);
  std::vector<Time> ends;
  for (size_t k = 0; k < flows.size(); ++k)
    ends.push_back(
        *std::max_element(there.begin() + parts.first[k], there.begin() + parts.first[k + 1]));
  return ends;
}

}  // namespace

Time begin_of(const GivenFlow& flow, const std::vector<Time>& ends) {
  Time begin = flow.start;
  for (const uint32_t before : flow.after)
    begin = std::max(begin, FlowStarts<GivenFlow>::begin_of(flow, ends[before]));
  return begin;
}

std::vector<Time> flow_ends(const std::vector<GivenFlow>& flows, const FlowPaths& paths,
                            const Topology& topology, const NetworkOptions& network) {
  return network.kind == NetworkKind::flow
             ? ends_sharing(flows, paths, topology, network.flow.tolerance)
             : ends_alone(flows, paths);
}

}  // namespace pipewright
