// Where a route leaves one node and enters another.
#pragma once

#include <compare>
#include <vector>

#include "topology/searches.hpp"

namespace pipewright {

struct Crossing {
  LinkId exit = 0, entry = 0;  ///< the same where a link joins the two nodes directly
  auto operator<=>(const Crossing&) const = default;
};

/// Returns the crossings of the cheapest routes from device `a` to device `b` of another node,
/// ascending by links; none where no route is. Of NICs that are equally near a device takes those
/// that are dealt to it, unless these are not joined.
std::vector<Crossing> cheapest_crossings(const Wiring& wiring, const Searches& searches, VertexId a,
                                         VertexId b);

}  // namespace pipewright
