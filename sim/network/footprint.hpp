// The footprint of a message or a collective on links: how its bytes are spread over them, and how
// fast it would go with all of them to itself. Everything that shares links, of whatever algorithm,
// is one.
#pragma once

#include <span>
#include <vector>

#include "network/ring.hpp"
#include "topology/spreading.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// The bytes of a footprint are those that the slowest place of its route carries: of a message its
/// size, of a collective what each member sends.
struct LinkFootprint {
  double volume = 1;              ///< bytes of the footprint for each byte of the message or buffer
  double bandwidth = 0;           ///< alone, bytes/s; infinite where nothing limits it
  std::vector<LinkShare> shares;  ///< by link, each once, of links with limits
};

/// Returns the footprint of a message on its routes, which `spreading` chooses between nodes.
/// Throws Failure when there is none.
LinkFootprint message_footprint(const Topology& topology, int from, int to,
                                const Spreading& spreading = {});

/// Returns the footprint of a copy between a device and the memory of its host, which it must have.
LinkFootprint host_footprint(const Topology& topology, int device, bool to_host);

/// Returns the footprint of a collective: by ring, or to all peers at once, as AlphaBeta times it.
/// Its bandwidth is that of even routes: what drawn ones take off is the matter of shared links.
LinkFootprint collective_footprint(const Topology& topology, CollectiveKind kind,
                                   std::span<const int> devices, const Spreading& spreading = {});

/// Returns how long the bytes of a collective move, which by itself would take `moving_s`, where
/// its own messages share links: the links of its footprint carry no more than they can.
double moving_on_links_s(const Topology& topology, const LinkFootprint& footprint, Bytes bytes,
                         double moving_s);

/// Sums over links, those without limits left out; where both directions of a link share its
/// bandwidth, they count as the lower of the two.
std::vector<LinkShare> merged(const Topology& topology, std::vector<LinkShare> shares);

}  // namespace pipewright
