// A pipelined chain: the root passes the buffer on in pieces from member to member; a reduction
// runs the other way.
//
//   fluid      (n - 1) alpha + S / beta
//   expanded   the same and the filling of the pipeline, (n - 2) pieces: (n - 2) c / beta
//
//   c bytes of a piece, at most 512 KiB, a slot of NCCL's buffers
// Source: NCCL's ring broadcast; Alpa, arXiv 2211.05322, for broadcasts between meshes.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

bool serves(CollectiveKind kind, const Members&) {
  return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
}

Edge edge(CollectiveKind kind, int nearer, Bytes bytes) {
  if (kind == CollectiveKind::broadcast) return {nearer, nearer + 1, bytes};
  return {nearer + 1, nearer, bytes};
}

Fluid fluid(CollectiveKind kind, const Members& members, Bytes bytes) {
  Fluid fluid;
  for (int i = 0; i + 1 < members.size(); ++i) {
    fluid.edges.push_back(edge(kind, i, bytes));
    fluid.chain.push_back({fluid.edges.back().from, fluid.edges.back().to});
  }
  return fluid;
}

Rounds rounds(CollectiveKind kind, const Members& members, Bytes bytes) {
  const int64_t links = members.size() - 1, pieces = pieces_of(bytes);
  const auto messages = [=](int64_t round, std::vector<Edge>& out) {
    for (int64_t hop = 0; hop < links; ++hop) {
      const int64_t piece = round - hop;
      if (piece < 0 || piece >= pieces) continue;
      const int64_t nearer = kind == CollectiveKind::broadcast ? hop : links - 1 - hop;
      out.push_back(edge(kind, static_cast<int>(nearer), part(bytes, piece, pieces)));
    }
  };
  return {links > 0 ? pieces + links - 1 : 0, messages};
}

}  // namespace

const Algorithm algorithm::chain{"chain", "pieces passed on from member to member", serves, fluid,
                                 rounds};

}  // namespace pipewright::collective
