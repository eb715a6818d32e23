// Pairwise exchange: in step k member i sends its part for member i + k straight to it.
//
//   all_to_all   (n - 1) (alpha + S / (n beta))
//   shift        alpha + S / beta: of these steps the first alone, with all of S
//
//   S bytes that one member has, and that it receives
// Source: Thakur, Rabenseifner, Gropp (2005); NCCL's send and receive between all pairs.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members&) {
  return kind == CollectiveKind::all_to_all || kind == CollectiveKind::shift;
}

void shift(int n, Bytes bytes, std::vector<Edge>& out) {
  for (int i = 0; i < n; ++i) out.push_back({i, (i + 1) % n, bytes});
}

void step_of(int distance, int n, Bytes bytes, std::vector<Edge>& out) {
  for (int i = 0; i < n; ++i) {
    const int to = (i + distance) % n;
    out.push_back({i, to, part(bytes, to, n)});
  }
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  Fluid fluid;
  if (kind == CollectiveKind::shift) {
    shift(members.size(), bytes, fluid.edges);
    fluid.chain.push_back({0, 1});
    return fluid;
  }
  Exchange& exchange = fluid.exchange.emplace();
  for (int rank = 0; rank < members.size(); ++rank) {
    exchange.to.push_back(part(bytes, rank, members.size()));
    if (rank > 0) fluid.chain.push_back({0, rank});
  }
  return fluid;
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  const int n = members.size();
  if (kind == CollectiveKind::shift)
    return {1, [=](int64_t, std::vector<Edge>& out) { shift(n, bytes, out); }};
  const auto messages = [=](int64_t round, std::vector<Edge>& out) {
    step_of(static_cast<int>(round) + 1, n, bytes, out);
  };
  return {n - 1, messages};
}

}  // namespace

const Algorithm algorithm::pairwise{"pairwise", "every pair exchanges its part directly", serves,
                                    fluid, rounds};

}  // namespace pipewright::collective
