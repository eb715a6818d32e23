// Two binary trees over all members, each with half of the bytes: whoever is inside the one is a
// leaf of the other, so that every member sends and receives the same.
//
//   all_reduce   up and down again in pieces      2 H alpha + 2 S / beta
//   expanded     the same and the filling of the pipeline
//
//   H height of a tree, about log2 n
//
// The first tree hangs member r below the member whose number has r's lowest set bit cleared and
// the next higher one set, or, past the last member, only cleared. The second is the first
// mirrored (n even) or moved on by one (n odd).
// Source: Sanders, Speck, Traeff (2009), Two-tree algorithms for full bandwidth broadcast,
// reduction and scan; NCCL 2.4.
#include "network/collectives/pieces.hpp"
#include "network/collectives/registry.hpp"

namespace pipewright::collective {
namespace {

struct Tree {
  std::vector<int> parent;  ///< by rank; -1 for the root
  std::vector<int> depth;
  int height = 0;
};

int parent_in_first(int rank, int n) {
  if (rank == 0) return -1;
  const int bit = rank & -rank;
  const int above = (rank ^ bit) | bit << 1;
  return above < n ? above : rank ^ bit;
}

int parent_in_second(int rank, int n) {
  if (n % 2 == 0) {
    const int parent = parent_in_first(n - 1 - rank, n);
    return parent < 0 ? -1 : n - 1 - parent;
  }
  const int parent = parent_in_first((rank + n - 1) % n, n);
  return parent < 0 ? -1 : (parent + 1) % n;
}

Tree tree(int n, int (*parent)(int, int)) {
  Tree tree;
  for (int rank = 0; rank < n; ++rank) {
    int depth = 0;
    for (int above = parent(rank, n); above >= 0; above = parent(above, n)) ++depth;
    tree.parent.push_back(parent(rank, n));
    tree.depth.push_back(depth);
    tree.height = std::max(tree.height, depth);
  }
  return tree;
}

std::vector<Tree> both(int n) { return {tree(n, parent_in_first), tree(n, parent_in_second)}; }

bool serves(CollectiveKind kind, const Members&) { return kind == CollectiveKind::all_reduce; }

Fluid fluid(CollectiveKind, const Members& members, Bytes bytes) {
  const std::vector<Tree> trees = both(members.size());
  Fluid fluid;
  for (int t = 0; t < 2; ++t) {
    for (int rank = 0; rank < members.size(); ++rank) {
      const int parent = trees[t].parent[rank];
      if (parent < 0) continue;
      fluid.edges.push_back({rank, parent, part(bytes, t, 2)});
      fluid.edges.push_back({parent, rank, part(bytes, t, 2)});
    }
  }
  const auto deepest = std::max_element(trees[0].depth.begin(), trees[0].depth.end());
  for (int rank = static_cast<int>(deepest - trees[0].depth.begin()); trees[0].parent[rank] >= 0;
       rank = trees[0].parent[rank]) {
    fluid.chain.push_back({rank, trees[0].parent[rank]});
    fluid.chain.push_back({trees[0].parent[rank], rank});
  }
  return fluid;
}

/// Adds what member `rank` and its parent send each other in a round; piece q starts up from the
/// deepest leaves in round q. A tree's pieces come up on one stream and down on the next.
void between(const Tree& tree, int rank, uint8_t stream, int64_t round, int64_t pieces, Bytes half,
             std::vector<Edge>& out) {
  const int parent = tree.parent[rank], depth = tree.depth[rank];
  const int64_t up = round - (tree.height - depth);
  const int64_t down = round - tree.height - (depth - 1);
  if (up >= 0 && up < pieces) out.push_back({rank, parent, part(half, up, pieces), stream, stream});
  const uint8_t downwards = stream + 1, source = depth == 1 ? stream : downwards;
  if (down >= 0 && down < pieces)
    out.push_back({parent, rank, part(half, down, pieces), source, downwards});
}

Rounds rounds(CollectiveKind, const Members& members, Bytes bytes) {
  const std::vector<Tree> trees = both(members.size());
  const int64_t pieces = pieces_of(part(bytes, 0, 2));
  const int64_t height = std::max(trees[0].height, trees[1].height);
  const auto messages = [=, n = members.size()](int64_t round, std::vector<Edge>& out) {
    for (int t = 0; t < 2; ++t) {
      for (int rank = 0; rank < n; ++rank) {
        if (trees[t].parent[rank] >= 0)
          between(trees[t], rank, static_cast<uint8_t>(2 * t), round, pieces, part(bytes, t, 2),
                  out);
      }
    }
  };
  return {height > 0 ? pieces + 2 * height - 1 : 0, messages};
}

}  // namespace

const Algorithm algorithm::double_tree{"double-tree", "two binary trees; few steps, full bandwidth",
                                       serves, fluid, rounds};

}  // namespace pipewright::collective
