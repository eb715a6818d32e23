// Finds the pods and the rails of a cluster, and how busy its switches are.
//
// The switch of a device is the one between nodes that is the fewest links away. Nodes whose
// devices have a switch in common are a pod: those beneath the leaves of a fat-tree, or around a
// router of a dragonfly. The devices of a pod that have one switch are a rail.
#pragma once

#include "engine/op_routes.hpp"
#include "result/drawn.hpp"

namespace pipewright {

/// `bytes` are what all ops put on the links within `makespan`.
ClusterLayout cluster_layout(const Topology& topology, const LinkBytes& bytes, Time makespan);

}  // namespace pipewright
