// Recursive halving, then recursive doubling: in step k of the first half member i sends half of
// what is left to the member n / 2^(k+1) away and keeps the other half; the second half undoes it.
//
//   reduce_scatter   log2(n) alpha + (n - 1) / n S / beta           the first half alone
//   all_reduce       2 log2(n) alpha + 2 (n - 1) / n S / beta
//
// Least bytes and few steps, but partners far away. n is a power of two.
// Source: Rabenseifner (2004), Optimization of collective reduction operations.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members& members) {
  const bool known = kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce_scatter;
  return known && is_power_of_two(members.size());
}

/// The messages of one step; steps of the first half count down in distance, then up again.
void step_of(int step, int n, Bytes bytes, std::vector<Edge>& out) {
  const int half = log2_of(n);
  const bool halving = step < half;
  const int distance = halving ? n >> (step + 1) : 1 << (step - half);
  for (int i = 0; i < n; ++i) {
    const int partner = i ^ distance;
    const int owner = halving ? partner : i;
    out.push_back({i, partner, part(bytes, owner / distance * distance, n, distance)});
  }
}

int steps(CollectiveKind kind, int n) {
  return kind == CollectiveKind::all_reduce ? 2 * log2_of(n) : log2_of(n);
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  Fluid fluid;
  for (int step = 0; step < steps(kind, members.size()); ++step) {
    const size_t first = fluid.edges.size();
    step_of(step, members.size(), bytes, fluid.edges);
    fluid.chain.push_back({0, fluid.edges[first].to});
  }
  return fluid;
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  const int n = members.size();
  const auto messages = [=](int64_t round, std::vector<Edge>& out) {
    step_of(static_cast<int>(round), n, bytes, out);
  };
  return {steps(kind, n), messages};
}

}  // namespace

const Algorithm algorithm::halving_doubling{
    "halving-doubling", "least bytes in few steps, partners far away", serves, fluid, rounds};

}  // namespace pipewright::collective
