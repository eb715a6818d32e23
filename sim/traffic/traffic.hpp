// A traffic experiment: flows that start at given times or after others, by which a network model
// is studied by itself.
//
// A flow of b bytes takes latency + b / bandwidth of its route where it has the network to itself;
// under `network: flow` its bytes share links once the latency has passed; under `packet` it is
// packets that meet others in the queues of its route. A flow from a device to itself takes no
// time.
#pragma once

#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "config/value.hpp"
#include "engine/op_routes.hpp"
#include "experiment/experiment.hpp"
#include "machine/machine.hpp"
#include "result/run_result.hpp"
#include "topology/spreading.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// A flow as it is given.
struct GivenFlow {
  int from = 0, to = 0;
  Bytes bytes;
  Time start;
  int priority = 0;   ///< the higher goes first
  double weight = 1;  ///< of two over one link, twice the weight gets twice the bandwidth
  Bandwidth cap{std::numeric_limits<double>::infinity()};
  std::vector<uint32_t> after;  ///< flows before this one; it begins `delay` after they have ended
  Time delay;
  config::Mark mark;
};

inline constexpr int most_priority = 1000;

/// A path of a flow, which carries an even part of its bytes.
struct FlowPath {
  Route route;
  std::vector<uint32_t> links;  ///< as they are shared
};
/// Paths by flow.
using FlowPaths = std::vector<std::shared_ptr<const std::vector<FlowPath>>>;

/// Throws InputError at a flow without a route.
FlowPaths paths_of(const std::vector<GivenFlow>& flows, const Topology& topology,
                   SpreadRoutes& routes);

/// Returns what flows put on the links of their paths, each of which carries an even part.
LinkBytes bytes_by_link(const std::vector<GivenFlow>& flows, const FlowPaths& paths,
                        const Topology& topology);

/// Reads `traffic`: a list of {from, to, bytes, start, priority, weight, cap, name, after, delay},
/// or the path of a CSV file with those columns. Only the first three must be there. Throws
/// InputError, also for a device that is not there.
std::vector<GivenFlow> read_flows(const config::Value& traffic, int devices);
/// CSV as text: a header that names the columns in any order, then a line a flow.
std::vector<GivenFlow> read_flow_table(std::string_view text, std::string_view file_name,
                                       int devices);

/// The flows of an experiment: given one by one, or an exchange of gradients. Throws InputError.
std::vector<GivenFlow> flows_of(const Experiment& experiment, const Machine& machine,
                                const config::Catalogue& catalogue);

/// Returns when a flow begins: once what it comes after has ended, as `ends` says by flow.
Time begin_of(const GivenFlow& flow, const std::vector<Time>& ends);

/// Returns when each flow ends, in the given order, with the links shared where `network` is one of
/// flows. Throws Failure where one would end after the clock, and where weights cannot be held
/// together.
std::vector<Time> flow_ends(const std::vector<GivenFlow>& flows, const FlowPaths& paths,
                            const Topology& topology, const NetworkOptions& network);

/// The same with packets. Throws InputError at a flow whose priority is none of `options`.
PacketTraffic packet_traffic(const std::vector<GivenFlow>& flows, const Topology& topology,
                             const PacketOptions& options);

/// Returns when each flow ends at the earliest: alone, over all routes that its packets may take.
/// Throws as packet_traffic() does for a flow without a route.
std::vector<Time> least_packet_ends(const std::vector<GivenFlow>& flows, const Topology& topology,
                                    const PacketOptions& options);

/// Tells whether packets differ by their seed: some are small, or have several routes to be sprayed
/// over.
bool is_drawn(const std::vector<GivenFlow>& flows, const Topology& topology,
              const PacketOptions& options);

/// `seed`: of routes drawn by chance.
Run run_traffic_experiment(const Experiment& experiment, const config::Catalogue& catalogue,
                           uint64_t seed);

}  // namespace pipewright
