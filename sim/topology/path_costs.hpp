// The costs of the paths from one vertex to all others of a part.
#pragma once

#include <cstdint>
#include <vector>

#include "topology/region.hpp"

namespace pipewright {

/// A fabric has a search for each of its switches, and most of their costs are equal. So up to 256
/// different ones are held once each, and a byte for each vertex.
class PathCosts {
 public:
  PathCosts() = default;
  /// `costs` are by the place of the vertex in its part.
  explicit PathCosts(std::vector<RouteCost> costs);

  RouteCost operator[](size_t place) const {
    return number_.empty() ? costs_[place] : costs_[number_[place]];
  }

 private:
  std::vector<RouteCost> costs_;  // different ones; by place where they are too many
  std::vector<uint8_t> number_;   // by place, of its cost; empty where these are too many
};

}  // namespace pipewright
