// The time of a cross-mesh resharding under each strategy and load balance.
#pragma once

#include <span>
#include <string_view>

#include "network/resharding/pieces.hpp"
#include "topology/topology.hpp"

namespace pipewright::resharding {

enum class Strategy : uint8_t { send_recv, local_all_gather, global_all_gather, broadcast };
inline constexpr Strategy strategies[] = {Strategy::send_recv, Strategy::local_all_gather,
                                          Strategy::global_all_gather, Strategy::broadcast};
std::string_view name(Strategy strategy);

/// The rule for who sends a piece that several hold, and in which order pieces go: the first holder
/// and as they come; the host that has least to send, largest piece first; or whoever can start
/// soonest, the best of many orders.
enum class Balance : uint8_t { none, size, order };
inline constexpr Balance balances[] = {Balance::none, Balance::size, Balance::order};
std::string_view name(Balance balance);

struct Meshes {
  std::vector<int> from, to;  ///< devices of the topology, row by row
};

/// The time of a plan, and the device that sends each piece.
struct Shipment {
  Time time;
  std::vector<int> senders;
};

/// Throws Failure where there is no route.
Shipment ship(const Topology& topology, const Meshes& meshes, std::span<const Piece> pieces,
              Bytes bytes, Strategy strategy, Balance balance);

/// Returns only the time of the plan.
Time time_of(const Topology& topology, const Meshes& meshes, std::span<const Piece> pieces,
             Bytes bytes, Strategy strategy, Balance balance);

/// No plan is faster: a host must take in every byte that any of its devices wants over their NICs,
/// and the NICs of those that hold it must send every byte once.
Time lower_bound(const Topology& topology, const Meshes& meshes, std::span<const Piece> pieces,
                 Bytes bytes);

struct Plan {
  Strategy strategy = Strategy::broadcast;
  Balance balance = Balance::order;
  Time time;
};

/// All strategies under all balances.
struct Comparison {
  Bytes bytes;
  Time bound;
  std::vector<Plan> plans;
  /// Returns the time of broadcast under the balance by order, against which the others are
  /// measured.
  Time reference() const { return plans.back().time; }
};

/// The source's mesh is on the first devices, the destination's on those that follow. Throws
/// InputError where there are too few.
Comparison compare(const Topology& topology, const Change& change, Bytes bytes);

}  // namespace pipewright::resharding
