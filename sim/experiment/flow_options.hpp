// network: {flow: {routing: ecmp, queue_pairs: 4, seeds: 20}}
#pragma once

#include "config/value.hpp"
#include "topology/spreading.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

struct FlowOptions {
  Spreading spreading;
  int seeds = 20;        ///< of hashed routes or drawn packets, one after the other
  double tolerance = 0;  ///< as MaxMinSharing's
};

/// Reads {routing: ecmp, queue_pairs: 4, seeds: 20}, all of which may be missing.
FlowOptions read_flow_options(const config::Value& value);

/// A cluster with the spines of its fat-tree one by one, for routes that are drawn. A node by
/// itself may stand in place of a cluster.
config::Value with_separate_spines(const config::Value& cluster,
                                   const config::Catalogue& catalogue);

}  // namespace pipewright
