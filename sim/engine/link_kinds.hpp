// Links of one capacity that the same routes load with the same bytes: one link to whoever shares
// them. Where not all that a route stands for is held to be alike, it has a colour for each.
#pragma once

#include <vector>

#include "engine/contention.hpp"
#include "engine/op_routes.hpp"

namespace pipewright {

struct LinkKinds {
  std::vector<uint32_t> of;       ///< by link; `none` where nothing goes
  std::vector<SharedLink> kinds;  ///< in the order of their first links
};

/// Colours by route and instance; where absent, all instances have one colour.
using Colours = std::vector<std::vector<uint32_t>>;

/// The 64 bits mixed, so that sums of them tell apart what they are sums of.
uint64_t mixed(uint64_t bits);

LinkKinds link_kinds(const Topology& topology, const OpRoutes& op_routes,
                     const Colours& colours = {});

}  // namespace pipewright
