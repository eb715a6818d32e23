// A resharding as messages between devices, for traces.
#pragma once

#include <span>
#include <vector>

#include "network/resharding/plan.hpp"

namespace pipewright::resharding {

struct Message {
  int from = 0, to = 0;  ///< devices
  double share = 0;      ///< of the whole tensor
  /// The earlier messages of the list whose contents it passes on; none: the sender's own.
  std::vector<size_t> after;
};

/// Returns the messages by which `strategy` carries a tensor of so many bytes, with piece i sent by
/// the device `senders[i]`: those of footprint.hpp, but rings step by step, and chains in the parts
/// of which `ship` takes them to be made.
std::vector<Message> messages_of(const Topology& topology, const Meshes& meshes,
                                 std::span<const Piece> pieces, Bytes bytes, Strategy strategy,
                                 std::span<const int> senders);

/// Appends the messages by which the devices of a ring gather what each has `share` of. Each passes
/// on what messages before brought it.
void add_gathering(std::span<const int> ring, double share, std::vector<Message>& messages);

}  // namespace pipewright::resharding
