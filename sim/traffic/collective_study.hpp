// Times of one collective by size on a cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "interop/nccl_points.hpp"
#include "network/nccl/collective_table.hpp"
#include "topology/cluster/cluster.hpp"
#include "traffic/collective_draws.hpp"

namespace pipewright {

namespace config {
class Catalogue;
}

struct CollectiveQuestion {
  std::string operation = "all_reduce";  ///< of network/nccl/operations.hpp
  int ranks = 0;                         ///< the first so many devices; 0: all
  std::string type = "float";
  std::vector<Bytes> sizes;
  /// An algorithm of network/collectives over the links' data sheets; empty: as NCCL chooses.
  std::string algorithm;
  bool expand = false;              ///< with `algorithm`: message by message
  std::optional<RouteDraws> draws;  ///< of routes between nodes
};

/// Throws InputError for what the cluster or the algorithm cannot do.
CollectiveTable ask(const CollectiveQuestion& question, const Cluster& cluster,
                    const std::string& cluster_name, const config::Catalogue& catalogue);

/// The measured times set beside the predicted ones of the same size. Those that the cluster's own
/// network profile holds are marked as known.
void set_against(CollectiveTable& table, const std::vector<interop::NcclPoint>& points,
                 const Cluster& cluster);

}  // namespace pipewright
