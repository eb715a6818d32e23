// Recursive doubling: in step k member i exchanges with member i xor 2^k all that it has so far.
//
//   all_gather   log2 n steps; the bytes double     log2(n) alpha + (n - 1) / n S / beta
//   all_reduce   log2 n steps of the whole buffer   log2(n) (alpha + S / beta)
//
// Fewest steps, for small buffers. n is a power of two.
// Source: Thakur, Rabenseifner, Gropp (2005), Optimization of collective communication in MPICH.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members& members) {
  const bool known = kind == CollectiveKind::all_reduce || kind == CollectiveKind::all_gather;
  return known && is_power_of_two(members.size());
}

/// Returns what member i sends over a distance of 2^step.
Bytes sent(CollectiveKind kind, int i, int step, int n, Bytes bytes) {
  if (kind == CollectiveKind::all_reduce) return bytes;
  return part(bytes, i >> step << step, n, int64_t{1} << step);
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  const int n = members.size();
  Fluid fluid;
  for (int step = 0; step < log2_of(n); ++step) {
    for (int i = 0; i < n; ++i)
      fluid.edges.push_back({i, i ^ 1 << step, sent(kind, i, step, n, bytes)});
    fluid.chain.push_back({0, 1 << step});
  }
  return fluid;
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  const int n = members.size();
  const auto messages = [=](int64_t round, std::vector<Edge>& out) {
    const int step = static_cast<int>(round);
    for (int i = 0; i < n; ++i) out.push_back({i, i ^ 1 << step, sent(kind, i, step, n, bytes)});
  };
  return {log2_of(n), messages};
}

}  // namespace

const Algorithm algorithm::recursive_doubling{
    "recursive-doubling", "exchanges all with partners ever farther away", serves, fluid, rounds};

}  // namespace pipewright::collective
