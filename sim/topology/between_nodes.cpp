#include "topology/between_nodes.hpp"

#include <algorithm>

namespace pipewright {

LinkKind kind_between_nodes(const Topology& topology) {
  const auto between = std::ranges::find_if(topology.links(), [&](const Link& link) {
    return topology.vertices()[link.from].node != topology.vertices()[link.to].node;
  });
  return between == topology.links().end() ? LinkKind::other : between->kind;
}

}  // namespace pipewright
