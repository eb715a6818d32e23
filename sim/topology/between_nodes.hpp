// What joins the nodes of a topology.
#pragma once

#include "topology/topology.hpp"

namespace pipewright {

/// Returns the kind of the first link that leaves a node; `other` where none does.
LinkKind kind_between_nodes(const Topology& topology);

}  // namespace pipewright
