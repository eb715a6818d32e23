#include "topology/parts.hpp"

#include <algorithm>

namespace pipewright {

Parts::Parts(const Wiring& wiring) {
  size_t nodes = 0;
  for (const Vertex& vertex : wiring.vertices)
    if (vertex.node != fabric) nodes = std::max(nodes, size_t{vertex.node} + 1);
  members.resize(nodes + 1);
  inner.resize(nodes + 1);
  exits.resize(nodes + 1);
  for (VertexId v = 0; v < wiring.vertices.size(); ++v) {
    std::vector<VertexId>& own = members[index(wiring.vertices[v].node)];
    place.push_back(static_cast<uint32_t>(own.size()));
    own.push_back(v);
  }
  for (LinkId l = 0; l < wiring.links.size(); ++l) {
    const NodeId from = wiring.vertices[wiring.links[l].from].node;
    const NodeId to = wiring.vertices[wiring.links[l].to].node;
    (from == to ? inner : exits)[index(from)].push_back(l);
  }
}

}  // namespace pipewright
