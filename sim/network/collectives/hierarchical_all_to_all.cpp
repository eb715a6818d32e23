// All-to-all over rails: inside a node first, to the member that has the same place as the
// destination; then across nodes, from place to place. Messages between nodes are g times as large
// and a g-th as many.
//
//   time  (g - 1) (a + m S / (n b)) + (m - 1) (A + g S / (n B))
//
//   g members on each of m nodes, n = g m; a, b in the node, A, B between nodes; S bytes a member
//
// Needs equal shares on at least two nodes. Source: NVIDIA, PXN (NCCL 2.12); Tutel, arXiv
// 2206.03382, two-dimensional hierarchical all-to-all.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members& members) {
  return kind == CollectiveKind::all_to_all && members.node_count() > 1 && members.per_node() > 1;
}

/// Returns what is in flight to the members with place `place`, on all nodes.
Bytes for_place(Bytes bytes, int place, int g, int n) {
  Bytes sum;
  for (int rank = place; rank < n; rank += g) sum += part(bytes, rank, n);
  return sum;
}

void inside(int distance, int g, int n, Bytes bytes, std::vector<Edge>& out) {
  for (int place = 0; place < g; ++place) {
    const int to_place = (place + distance) % g;
    const Bytes sent = for_place(bytes, to_place, g, n);
    for (int first = 0; first < n; first += g)
      out.push_back({first + place, first + to_place, sent});
  }
}

void across(int distance, int g, int n, Bytes bytes, std::vector<Edge>& out) {
  for (int i = 0; i < n; ++i) {
    const int to = (i + distance * g) % n;
    out.push_back({i, to, g * part(bytes, to, n)});
  }
}

Fluid fluid(CollectiveKind, const Members& members, Bytes bytes) {
  const int n = members.size(), g = members.per_node();
  Fluid fluid;
  for (int distance = 1; distance < g; ++distance) {
    inside(distance, g, n, bytes, fluid.edges);
    fluid.chain.push_back({0, distance});
  }
  Exchange& rails = fluid.exchange.emplace();
  rails.along_rails = true;
  for (int rank = 0; rank < n; ++rank) {
    rails.to.push_back(g * part(bytes, rank, n));
    if (rank > 0 && rank % g == 0) fluid.chain.push_back({0, rank});
  }
  return fluid;
}

Rounds rounds(CollectiveKind, const Members& members, Bytes bytes) {
  const int n = members.size(), g = members.per_node();
  const auto messages = [=](int64_t round, std::vector<Edge>& out) {
    if (round < g - 1)
      inside(static_cast<int>(round) + 1, g, n, bytes, out);
    else
      across(static_cast<int>(round) - g + 2, g, n, bytes, out);
  };
  return {g - 1 + members.node_count() - 1, messages};
}

}  // namespace

const Algorithm algorithm::hierarchical_all_to_all{"hierarchical-all-to-all",
                                                   "inside nodes to the right rail, then along it",
                                                   serves, fluid, rounds};

}  // namespace pipewright::collective
