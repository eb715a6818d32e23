// The links that start at each vertex.
#pragma once

#include <span>
#include <vector>

#include "topology/wiring.hpp"

namespace pipewright {

class LeavingLinks {
 public:
  explicit LeavingLinks(const Wiring& wiring)
      : offset_(wiring.vertices.size() + 1, 0), links_(wiring.links.size()) {
    for (const Link& link : wiring.links) ++offset_[link.from + 1];
    for (size_t v = 1; v < offset_.size(); ++v) offset_[v] += offset_[v - 1];
    std::vector<uint32_t> next(offset_.begin(), offset_.end() - 1);
    for (LinkId l = 0; l < wiring.links.size(); ++l) links_[next[wiring.links[l].from]++] = l;
  }

  /// In ascending order.
  std::span<const LinkId> of(VertexId vertex) const {
    return {links_.data() + offset_[vertex], links_.data() + offset_[vertex + 1]};
  }

 private:
  std::vector<uint32_t> offset_;
  std::vector<LinkId> links_;
};

}  // namespace pipewright
