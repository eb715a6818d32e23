// A traffic experiment: flows with fixed starts, by which a network model is studied by itself.
//
// A flow of b bytes takes latency + b / bandwidth of its route where it has the network to itself;
// under `network: flow` its bytes share links once the latency has passed. A flow from a device to
// itself takes no time.
#pragma once

#include <string_view>
#include <vector>

#include "config/value.hpp"
#include "result/run_result.hpp"
#include "study/experiment.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// A flow as it is given.
struct GivenFlow {
  int from = 0, to = 0;
  Bytes bytes;
  Time start;
  config::Mark mark;
};

/// Reads `traffic`: a list of {from, to, bytes, start}, or the path of a CSV file with those
/// columns. `start` may be missing: 0 s. Throws InputError, also for a device that is not there.
std::vector<GivenFlow> read_flows(const config::Value& traffic, int devices);
/// CSV as text: a header that names the columns in any order, then a line a flow.
std::vector<GivenFlow> read_flow_table(std::string_view text, std::string_view file_name,
                                       int devices);

/// When each flow ends, in the given order. Throws InputError at a flow without a route, Failure
/// where one would end after the clock.
std::vector<Time> flow_ends(const std::vector<GivenFlow>& flows, const Topology& topology,
                            bool shares_links);

Run run_traffic_experiment(const Experiment& experiment, const config::Catalogue& catalogue);

}  // namespace pipewright
