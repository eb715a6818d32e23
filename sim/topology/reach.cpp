#include "topology/reach.hpp"

#include "topology/region.hpp"

namespace pipewright {
namespace {

/// Follows routes: inside the first node, out of it, across the fabric, into another node and on
/// inside that.
class Reach {
 public:
  explicit Reach(const Topology& topology)
      : topology_(topology),
        start_(topology.vertex(0)),
        reached_(topology.vertices().size()),
        entered_(topology.vertices().size()) {
    reached_[start_] = true;
    open_.push_back(start_);
    while (!open_.empty()) {
      const VertexId from = open_.back();
      open_.pop_back();
      for (const LinkId link : topology.links_of(from)) step(from, topology.links()[link].to);
    }
  }

  bool has(int device) const { return reached_[topology_.vertex(device)]; }

 private:
  const Vertex& vertex(VertexId v) const { return topology_.vertices()[v]; }

  /// Bytes do not come back into the first node, and do not leave another once they are in it.
  bool may_go(VertexId from, VertexId to) const {
    const NodeId home = vertex(start_).node, here = vertex(from).node, there = vertex(to).node;
    if (here != there) return there != home && (here == home || here == fabric);
    return from == start_ || forwards(vertex(from).kind) || entered_[from];
  }

  void step(VertexId from, VertexId to) {
    if (!may_go(from, to)) return;
    const bool enters = vertex(to).node != vertex(from).node && vertex(to).node != fabric;
    if (reached_[to] && (!enters || entered_[to])) return;
    reached_[to] = true;
    entered_[to] = entered_[to] || enters;
    if (vertex(to).kind != VertexKind::device) open_.push_back(to);
  }

  const Topology& topology_;
  VertexId start_;
  std::vector<bool> reached_, entered_;  ///< by vertex; entered: from outside its node
  std::vector<VertexId> open_;
};

}  // namespace

std::optional<int> first_unreached(const Topology& topology) {
  const Reach reach(topology);
  for (int device = 0; device < topology.devices(); ++device)
    if (!reach.has(device)) return device;
  return std::nullopt;
}

}  // namespace pipewright
