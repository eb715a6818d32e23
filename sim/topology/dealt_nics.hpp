// NICs that are equally near to several devices, dealt out among these in order, as NCCL does: each
// device takes its own, where it has the choice. Of m NICs that are nearest to k devices alike
//   m >= k   device i takes its k-th part of them, NICs j with floor(j k / m) = i
//   m < k    device i takes NIC i mod m
// Source: NCCL, graph/topo.cc, ncclTopoGetLocalNet(), which deals out powers of two in another
// order (mirrored bits).
#pragma once

#include <vector>

#include "topology/searches.hpp"

namespace pipewright {

/// Returns the NICs of the node of `device` that are as near to it as its own, and that other
/// devices take. None where one NIC is nearest, as in most nodes.
std::vector<VertexId> dealt_to_others(const Wiring& wiring, const Searches& searches,
                                      VertexId device);

}  // namespace pipewright
