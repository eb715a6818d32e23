// What a message or a collective puts on links: how its bytes are spread over them, and how fast it
// would go with all of them to itself. Everything that shares links, of whatever algorithm, is one.
#pragma once

#include <span>
#include <vector>

#include "network/ring.hpp"
#include "workload/layer.hpp"

namespace pipewright {

/// The bytes of a passage are those that the slowest place of its way carries: of a message its
/// size, of a collective what each member sends.
struct Passage {
  double volume = 1;              ///< bytes of the passage for each byte of the message or buffer
  double bandwidth = 0;           ///< alone, bytes/s; infinite where nothing limits it
  std::vector<LinkShare> shares;  ///< by link, each once, of links with limits
};

/// By route. Throws Failure when there is none.
Passage message_passage(const Topology& topology, int from, int to);

/// Between a device and the memory of its host, which it must have.
Passage host_passage(const Topology& topology, int device, bool to_host);

/// By ring, or to all peers at once, as AlphaBeta times them.
Passage collective_passage(const Topology& topology, CollectiveKind kind,
                           std::span<const int> devices);

/// Sums over links, those without limits left out; where both directions of a link share its
/// bandwidth, they count as the lower of the two.
std::vector<LinkShare> merged(const Topology& topology, std::vector<LinkShare> shares);

}  // namespace pipewright
