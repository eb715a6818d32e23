// The parts of a topology: its nodes and, last, the fabric between them.
#pragma once

#include <vector>

#include "topology/wiring.hpp"

namespace pipewright {

/// Of every part its vertices, the links inside it and those that leave it.
struct Parts {
  explicit Parts(const Wiring& wiring);
  size_t index(NodeId node) const { return node == fabric ? members.size() - 1 : node; }

  std::vector<std::vector<VertexId>> members;
  std::vector<std::vector<LinkId>> inner, exits;
  std::vector<uint32_t> place;  ///< by vertex: its place among the members of its part
};

}  // namespace pipewright
