#include "plan/near_replicas.hpp"

#include <fmt/format.h>

namespace pipewright {
namespace {

/// The first replicas whose first devices are on one node.
int replicas_on_node(const Mesh& mesh, const Topology& topology) {
  int count = 1;
  while (count < mesh.site_replicas() &&
         topology.node(mesh.device(0, count)) == topology.node(mesh.device(0, 0)))
    ++count;
  return count;
}

}  // namespace

int near_replicas(const Experiment& e, const Mesh& mesh, const Topology& topology) {
  const Parallel& parallel = e.parallel;
  const bool by_node = parallel.scattered != ScatteredGradients::as_held;
  if ((parallel.secondary == 0 && !by_node) || mesh.shard == 0) return 0;
  if (mesh.shard < mesh.site_replicas())
    e.misfit("parallel", "parallel.secondary and scattered need weights cut over all replicas");
  const int near = parallel.secondary > 0 ? parallel.secondary : replicas_on_node(mesh, topology);
  if (mesh.site_replicas() % near != 0)
    e.misfit("parallel", fmt::format("{} {} must divide data x context = {}",
                                     parallel.secondary > 0 ? "secondary"
                                                            : "scattered: the replicas of a node,",
                                     near, mesh.site_replicas()));
  return near;
}

}  // namespace pipewright
