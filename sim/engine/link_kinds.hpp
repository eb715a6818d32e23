// Links of one capacity that the same footprints load with the same shares: one link to whoever
// shares them.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/footprints.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Links that the same footprints load with the same shares, in the same order.
struct LinkClasses {
  std::vector<uint32_t> of;                ///< by link; `none` where nothing goes
  std::vector<std::vector<LinkId>> links;  ///< by class, in the order of their first links
};

/// The share that instances of a footprint put on a link, by the byte of the footprint.
struct FootprintLoad {
  uint32_t footprint = 0;
  double share = 0;
  int times = 1;  ///< instances that do
  auto operator<=>(const FootprintLoad&) const = default;
};

/// A class of links, or several whose loads come in another order.
struct AlikeLinks {
  double capacity = 0;
  std::vector<FootprintLoad> loads;
};

struct ClassLoad {
  uint32_t link_class = 0;
  double share = 0;
  int times = 1;
};

struct LinkKinds {
  std::shared_ptr<const LinkClasses> classes;
  std::vector<std::vector<ClassLoad>> loads;  ///< by footprint; on a class in their order
  std::vector<uint32_t> of_class;
  std::vector<AlikeLinks> kinds;  ///< in the order of their first links

  /// Returns the kind of a link; `none` where nothing goes.
  uint32_t of(LinkId link) const;
};

LinkKinds link_kinds(const Topology& topology, const Footprints& footprints);

}  // namespace pipewright
