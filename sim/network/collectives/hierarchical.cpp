// Two levels: the fast links inside a node first, then a rail for each of its g members across the
// m nodes. The rail carries a g-th of the bytes, so that all NICs of a node work at once.
//
//   all_reduce      reduce_scatter in the node, all_reduce on the rail, all_gather in the node
//   reduce_scatter  in the node, then on the rail         all_gather   on the rail, then in the
//   node
//
//   time  2 (g - 1) (a + S / (g b)) + 2 (m - 1) (A + S / (g m B)) for an all_reduce
//   a, b latency and bandwidth of an edge in the node, A, B of one between nodes
//
// Every phase is a ring and waits for the one before: no pipelining between levels.
// Needs equal shares on at least two nodes. Source: Cho et al., BlueConnect (MLSys 2019).
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members& members) {
  const bool known = kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather ||
                     kind == CollectiveKind::reduce_scatter;
  return known && members.node_count() > 1 && members.per_node() > 1;
}

/// The rings of the nodes, each over `whole` bytes.
PhasedRing inside(CollectiveKind kind, const Members& members, Bytes whole) {
  PhasedRing phase{kind, {}};
  const int g = members.per_node();
  for (int node = 0; node < members.node_count(); ++node) {
    RingOf ring{.whole = whole};
    for (int i = 0; i < g; ++i) ring.ranks.push_back(node * g + i);
    phase.groups.push_back(std::move(ring));
  }
  return phase;
}

/// One ring for each place in a node, each over its part of `whole`.
PhasedRing across(CollectiveKind kind, const Members& members, Bytes whole) {
  PhasedRing phase{kind, {}};
  const int g = members.per_node();
  for (int i = 0; i < g; ++i) {
    RingOf ring{.whole = part(whole, i, g)};
    for (int node = 0; node < members.node_count(); ++node) ring.ranks.push_back(node * g + i);
    phase.groups.push_back(std::move(ring));
  }
  return phase;
}

std::vector<PhasedRing> phases(CollectiveKind kind, const Members& members, Bytes bytes) {
  using enum CollectiveKind;
  std::vector<PhasedRing> all;
  if (kind != all_gather) all.push_back(inside(reduce_scatter, members, bytes));
  all.push_back(across(kind, members, bytes));
  if (kind != reduce_scatter) all.push_back(inside(all_gather, members, bytes));
  return all;
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  return phases_fluid(phases(kind, members, bytes));
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  return phases_rounds(phases(kind, members, bytes));
}

}  // namespace

const Algorithm algorithm::hierarchical{"hierarchical", "inside nodes, then a rail for each member",
                                        serves, fluid, rounds};

}  // namespace pipewright::collective
