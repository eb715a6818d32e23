// Collectives as they were measured on a network, over one number of nodes or several.
//
// A point is the median of all measurements of one operation, ranks a node, nodes and size, with
// their 5th and 95th percentile. Schema pipewright.network/1.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/value.hpp"
#include "interop/nccl_points.hpp"
#include "network/nccl/profile.hpp"

namespace pipewright {

struct MeasuredTime {
  double bytes = 0;  ///< as nccl-tests counts
  double time_s = 0, p5_s = 0, p95_s = 0;
  int count = 1;  ///< measurements
};

/// One operation on one number of nodes.
struct MeasuredCurve {
  std::string operation;
  int ranks_per_node = 1, nodes = 1;
  std::vector<MeasuredTime> times;  ///< ascending by size, none twice
};

struct NetworkProfile {
  std::string library;                ///< "NCCL 2.28.7"; empty where nobody says
  std::string transport;              ///< between nodes, as NCCL names it: "IB"; empty as above
  std::vector<MeasuredCurve> curves;  ///< by operation, ranks a node and nodes
  HeldOut held_out;                   ///< every size but the ends, by its neighbours
};

/// Returns the seconds at `bytes` by the neighbours in size, along a straight line between them;
/// beyond the ends as fast as at them.
double interpolated_s(const MeasuredCurve& curve, double bytes);

/// Puts measurements together. Throws InputError at `file` where ranks do not divide by nodes.
NetworkProfile network_profile_of(std::span<const interop::NcclPoint> points,
                                  const std::string& file);

/// The document of a profile, and back. Throws InputError.
config::Value to_value(const NetworkProfile& profile);
NetworkProfile read_network_profile(const config::Value& document);
/// Reads what `fabric: {measured: ...}` names: a path, or the document itself.
NetworkProfile network_profile_at(const config::Value& said);

}  // namespace pipewright
