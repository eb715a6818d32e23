// The ring: member i sends to member i + 1 only.
//
//   reduce_scatter, all_gather   n - 1 steps of S / n         (n - 1) (alpha + S / (n beta))
//   all_reduce                   the one, then the other      2 (n - 1) (alpha + S / (n beta))
//
//   S bytes of the whole buffer, n members, alpha s and beta bytes/s of an edge
//
// In step k of reduce_scatter member i passes on part i - 1 - k, so that it ends with the sum of
// part i; in step k of all_gather part i - k. Member i's edge carries all parts but one in each.
// Source: Patarasuk, Yuan (2009), bandwidth optimal all-reduce; Thakur, Rabenseifner, Gropp (2005).
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members&) {
  return kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather ||
         kind == CollectiveKind::reduce_scatter;
}

RingOf whole_ring(const Members& members, Bytes bytes) {
  RingOf ring{.whole = bytes};
  for (int rank = 0; rank < members.size(); ++rank) ring.ranks.push_back(rank);
  return ring;
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  return ring_fluid(kind, whole_ring(members, bytes));
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  return ring_rounds(kind, whole_ring(members, bytes));
}

}  // namespace

Fluid ring_fluid(CollectiveKind kind, const RingOf& ring) {
  const int n = ring.size();
  const bool scatters = kind != CollectiveKind::all_gather;
  const bool gathers = kind != CollectiveKind::reduce_scatter;
  Fluid fluid{.spares_least = true};
  for (int i = 0; i < n && n > 1; ++i) {
    Bytes bytes;
    if (scatters) bytes += ring.whole - part(ring.whole, i, n);
    if (gathers) bytes += ring.whole - part(ring.whole, i + 1, n);
    fluid.edges.push_back({ring.rank(i), ring.rank(i + 1), bytes});
    fluid.chain.push_back({ring.rank(i), ring.rank(i + 1), int64_t{scatters} + gathers});
  }
  return fluid;
}

Rounds ring_rounds(CollectiveKind kind, RingOf ring) {
  const int64_t n = ring.size();
  const int64_t scatter_steps = kind == CollectiveKind::all_gather ? 0 : n - 1;
  const int64_t gather_steps = kind == CollectiveKind::reduce_scatter ? 0 : n - 1;
  const auto messages = [=, ring = std::move(ring)](int64_t round, std::vector<Edge>& out) {
    const int64_t behind = round < scatter_steps ? round + 1 : round - scatter_steps;
    for (int64_t i = 0; i < n; ++i)
      out.push_back({ring.rank(i), ring.rank(i + 1), part(ring.whole, i - behind, n)});
  };
  return {scatter_steps + gather_steps, messages};
}

const Algorithm algorithm::ring{"ring", "each member sends to the next; least bytes, most steps",
                                serves, fluid, rounds};

}  // namespace pipewright::collective
