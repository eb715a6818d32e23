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
  /// Parts of one form have members of the same kinds, joined by links of the same latencies in the
  /// same places: what paths inside cost is the same from place to place.
  std::vector<size_t> form;           ///< by part
  std::vector<size_t> first_of_form;  ///< by form, a part

 private:
  std::vector<int64_t> description(const Wiring& wiring, size_t part) const;
  void find_forms(const Wiring& wiring);
};

}  // namespace pipewright
