// Groups that exchange much and lie on more nodes than they need.
#pragma once

#include <string>

#include "program/lower.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// Returns a note on groups of tensor or expert ranks that would fit on one node, such as a rack
/// that NVLink joins, and lie on several; empty where there are none.
std::string where_groups_straddle(const Grid& grid, const Topology& topology);

}  // namespace pipewright
