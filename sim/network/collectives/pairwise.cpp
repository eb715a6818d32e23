// Pairwise exchange: in step k member i sends its part for member i + k straight to it.
//
//   all_to_all   (n - 1) (alpha + S / (n beta))
//
//   S bytes that one member has, and that it receives
// Source: Thakur, Rabenseifner, Gropp (2005); NCCL's send and receive between all pairs.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members&) { return kind == CollectiveKind::all_to_all; }

void step_of(int distance, int n, Bytes bytes, std::vector<Edge>& out) {
  for (int i = 0; i < n; ++i) {
    const int to = (i + distance) % n;
    out.push_back({i, to, part(bytes, to, n)});
  }
}

Fluid fluid(CollectiveKind, const Members& members, Bytes bytes) {
  Fluid fluid;
  for (int distance = 1; distance < members.size(); ++distance) {
    step_of(distance, members.size(), bytes, fluid.edges);
    fluid.chain.push_back({0, distance});
  }
  return fluid;
}

Rounds rounds(CollectiveKind, const Members& members, Bytes bytes) {
  const int n = members.size();
  const auto messages = [=](int64_t round, std::vector<Edge>& out) {
    step_of(static_cast<int>(round) + 1, n, bytes, out);
  };
  return {n - 1, messages};
}

}  // namespace

const Algorithm algorithm::pairwise{"pairwise", "every pair exchanges its part directly", serves,
                                    fluid, rounds};

}  // namespace pipewright::collective
