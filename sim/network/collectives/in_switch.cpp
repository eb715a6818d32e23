// Reduction and copying in the switch of a node (NVLink SHARP, NCCL's NVLS): every member answers
// for an n-th of the buffer, reads that part of all members through the switch, which adds it up,
// and writes the sum once, which the switch copies to all.
//
//   bytes on the link of a member     to the switch    from the switch
//   all_reduce                        S + S / n        S / n + S
//   reduce_scatter                    S                S / n
//   all_gather                        S / n            S
//   broadcast (reduce mirrored)       S (the root)     S
//
//   time  2 a + the busier direction / b, in pieces one behind the other; a, b of one link
//
// Members are on one node and joined by its switch. Source: Klenk et al. (ISCA 2020), An in-network
// architecture for accelerating shared-memory multiprocessor collectives; NCCL 2.17.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members& members) {
  const bool one_to_one = kind == CollectiveKind::all_to_all || kind == CollectiveKind::shift;
  return !one_to_one && members.node_count() == 1 && members.size() > 1;
}

struct Both {
  Bytes up, down;  ///< to and from the switch
};

Both bytes_of(CollectiveKind kind, int rank, int n, Bytes bytes) {
  const Bytes own = part(bytes, rank, n);
  switch (kind) {
    case CollectiveKind::all_reduce:
      return {bytes + own, own + bytes};
    case CollectiveKind::reduce_scatter:
      return {bytes, own};
    case CollectiveKind::all_gather:
      return {own, bytes};
    case CollectiveKind::broadcast:
      return {rank == 0 ? bytes : Bytes{}, bytes};
    case CollectiveKind::reduce:
      return {bytes, rank == 0 ? bytes : Bytes{}};
    case CollectiveKind::shift:
    case CollectiveKind::all_to_all:
      break;
  }
  return {};
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  Fluid fluid;
  for (int rank = 0; rank < members.size(); ++rank) {
    const Both both = bytes_of(kind, rank, members.size(), bytes);
    fluid.edges.push_back({rank, members.in_switch(), both.up});
    fluid.edges.push_back({members.in_switch(), rank, both.down});
  }
  fluid.chain = {{0, members.in_switch()}, {members.in_switch(), 0}};
  return fluid;
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  const int64_t pieces = pieces_of(bytes);
  const auto messages = [=, n = members.size()](int64_t round, std::vector<Edge>& out) {
    for (int rank = 0; rank < n; ++rank) {
      const Both both = bytes_of(kind, rank, n, bytes);
      if (round < pieces) out.push_back({rank, n, part(both.up, round, pieces), 2, 0});
      if (round > 0) out.push_back({n, rank, part(both.down, round - 1, pieces), 0, 1});
    }
  };
  return {pieces + 1, messages};
}

}  // namespace

const Algorithm algorithm::in_switch{"in-switch", "the switch of the node adds and copies", serves,
                                     fluid, rounds};

}  // namespace pipewright::collective
