// What a page draws of a run besides its timeline: the kernels of its passes, and its cluster.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "workload/work.hpp"

namespace pipewright {

/// One kernel of a pass, or several of a kind that run one after the other.
struct PassKernel {
  int32_t layer = -1;  ///< its place in PassKernels::layers; -1: it is of no layer
  int32_t name = 0;    ///< its place in PassKernels::names
  Purpose purpose = Purpose::none;
  double share = 0;  ///< of the time of its op
};

/// The kernels of all passes. Shares of an op add up to one, or to less where it waits for its
/// host.
struct PassKernels {
  std::vector<std::string> layers, names;
  std::vector<std::vector<PassKernel>> of_type;  ///< by type of op, in the order in which they run
};

/// A switch between nodes, as busy as its busiest link.
struct FabricSwitch {
  std::string name;
  int32_t pod = -1;   ///< whose nodes are joined to it; -1: none
  int32_t rail = -1;  ///< its place among the switches of the pod
  double bytes = 0, busy_fraction = 0;
};

/// Where devices and switches stand. The nodes of a pod are joined to the same switches.
struct ClusterLayout {
  std::vector<int32_t> nodes;  ///< by device
  std::vector<int32_t> rails;  ///< by device, that of its switch; -1: no switch joins its node
  std::vector<int32_t> pods;   ///< by node
  std::vector<FabricSwitch> switches;
};

/// All of it.
struct Drawn {
  PassKernels kernels;
  ClusterLayout cluster;
};

}  // namespace pipewright
