// The ring: member i sends to member i + 1 only.
//
//   reduce_scatter, all_gather   n - 1 steps of S / n         (n - 1) (alpha + S / (n beta))
//   all_reduce                   the one, then the other      2 (n - 1) (alpha + S / (n beta))
//
//   S bytes of the whole buffer, n members, alpha s and beta bytes/s of an edge
//
// In step k of reduce_scatter member i passes on part i - 1 - k, so that it ends with the sum of
// part i; in step k of all_gather part i - k. Member i's edge carries all parts but one in each.
//
// In a node whose devices are joined each to each there is a ring for each of them. Over several
// nodes there is a ring for each of their R rails, with an R-th of the bytes, as
// NCCL's channels enter and leave a node by different GPUs and NICs. In a node it goes from its
// first member a to a + 1, a - 1, a + 2, a - 2 and so on, which no two rings do over the same
// direct links, and the next node is entered by the rail by which this one is left. Source:
// Patarasuk, Yuan (2009), bandwidth optimal all-reduce; Thakur, Rabenseifner, Gropp (2005).
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

/// The ring of one of several rails. Rail q of g members on a node is that of member q g / R.
RingOf ring_of_rail(const Members& members, int rail, Bytes bytes) {
  RingOf ring{.whole = part(bytes, rail, members.rails),
              .stream = static_cast<uint8_t>(static_cast<size_t>(rail) % streams)};
  int entry = rail;
  for (size_t node = 0; node + 1 < members.nodes.size(); ++node) {
    const int first = members.nodes[node], g = members.nodes[node + 1] - first;
    const int start = entry * g / members.rails;
    for (int k = 0; k < g; ++k) {
      const int step = k % 2 == 1 ? (k + 1) / 2 : -(k / 2);
      ring.ranks.push_back(first + (start + step + g) % g);
    }
    entry = (ring.ranks.back() - first) * members.rails / g;
  }
  return ring;
}

std::vector<RingOf> rings(const Members& members, Bytes bytes) {
  if (members.rails < 2) return {whole_ring(members, bytes)};
  std::vector<RingOf> all;
  for (int rail = 0; rail < members.rails; ++rail)
    all.push_back(ring_of_rail(members, rail, bytes));
  return all;
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  Fluid whole;
  for (const RingOf& ring : rings(members, bytes)) {
    const Fluid one = ring_fluid(kind, ring);
    whole.edges.insert(whole.edges.end(), one.edges.begin(), one.edges.end());
    if (whole.chain.empty()) whole.chain = one.chain;
  }
  whole.spares_least = true;
  return whole;
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  std::vector<Rounds> beside;
  for (RingOf& ring : rings(members, bytes)) beside.push_back(ring_rounds(kind, std::move(ring)));
  const int64_t count = beside.front().count;
  const auto messages = [beside = std::move(beside)](int64_t round, std::vector<Edge>& out) {
    for (const Rounds& one : beside) one.messages(round, out);
  };
  return {count, messages};
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
      out.push_back({ring.rank(i), ring.rank(i + 1), part(ring.whole, i - behind, n), ring.stream,
                     ring.stream});
  };
  return {scatter_steps + gather_steps, messages};
}

const Algorithm algorithm::ring{"ring", "each member sends to the next; least bytes, most steps",
                                serves, fluid, rounds};

}  // namespace pipewright::collective
