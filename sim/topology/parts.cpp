#include "topology/parts.hpp"

#include <algorithm>
#include <map>

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
  find_forms(wiring);
}

std::vector<int64_t> Parts::description(const Wiring& wiring, size_t part) const {
  std::vector<int64_t> all;
  for (const VertexId vertex : members[part])
    all.push_back(static_cast<int64_t>(wiring.vertices[vertex].kind));
  for (const LinkId id : inner[part]) {
    const Link& link = wiring.links[id];
    all.insert(all.end(), {place[link.from], place[link.to], link.of_host, link.latency.ps});
  }
  return all;
}

void Parts::find_forms(const Wiring& wiring) {
  std::map<std::vector<int64_t>, size_t> known;
  for (size_t part = 0; part < members.size(); ++part) {
    const auto [found, is_new] = known.try_emplace(description(wiring, part), first_of_form.size());
    if (is_new) first_of_form.push_back(part);
    form.push_back(found->second);
  }
}

}  // namespace pipewright
