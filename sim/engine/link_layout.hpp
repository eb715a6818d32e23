// What a program's footprints lay on the links of its topology, as far as it does not depend on how
// many bytes there are. Runs that differ in sizes and times share it.
#pragma once

#include <mutex>
#include <vector>

#include "engine/footprints.hpp"
#include "engine/link_kinds.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// A kind of links that an instance of a footprint crosses.
struct CrossedKind {
  uint32_t kind = 0;
  double share = 0;
  auto operator<=>(const CrossedKind&) const = default;
};

/// By footprint of several instances, the kinds that these cross, ascending: each list once, that
/// of the first instance first.
using Crossings = std::vector<std::vector<std::vector<CrossedKind>>>;

/// May be shared by threads.
class LinkLayout {
 public:
  LinkLayout(Topology topology, Footprints footprints);

  const Topology& topology() const { return topology_; }
  const Footprints& footprints() const { return footprints_; }
  const LinkKinds& kinds() const { return kinds_; }
  const Crossings& crossings() const { return crossings_; }

  /// The layout without redundant links.
  struct Kept {
    std::vector<bool> redundant;  ///< by link
    std::vector<bool> kinds;      ///< those of which a link is left
    Crossings crossings;
  };
  /// Finds the redundant links when it is first called.
  const Kept& without_redundant() const;

  /// Returns how many shares and links it holds, as a measure of its memory.
  size_t size() const;

 private:
  Topology topology_;
  Footprints footprints_;
  LinkKinds kinds_;
  Crossings crossings_;
  mutable std::once_flag once_;
  mutable Kept kept_;
};

}  // namespace pipewright
