#include "network/resharding/pieces.hpp"

#include <algorithm>
#include <map>

namespace pipewright::resharding {
namespace {

using Tile = std::vector<int>;

std::map<Tile, std::vector<int>> tiles_of(const Sharding& sharding) {
  std::map<Tile, std::vector<int>> tiles;
  for (int device = 0; device < sharding.devices(); ++device) {
    Tile tile;
    for (size_t d = 0; d < sharding.dimensions.size(); ++d)
      tile.push_back(sharding.piece(d, device));
    tiles[tile].push_back(device);
  }
  return tiles;
}

/// Returns the part of the unit interval that part i of a equal ones shares with part j of b.
double overlap(int i, int a, int j, int b) {
  const int64_t n = int64_t{a} * b;  // in n-ths, whole numbers
  const int64_t first = std::max(int64_t{i} * b, int64_t{j} * a);
  const int64_t last = std::min(int64_t{i + 1} * b, int64_t{j + 1} * a);
  return static_cast<double>(std::max<int64_t>(0, last - first)) / static_cast<double>(n);
}

}  // namespace

std::vector<Piece> pieces_of(const Change& change) {
  std::vector<Piece> pieces;
  const std::map<Tile, std::vector<int>> wanted = tiles_of(change.to);
  for (const auto& [source, holders] : tiles_of(change.from)) {
    for (const auto& [destination, takers] : wanted) {
      double share = 1;
      for (size_t d = 0; d < source.size() && share > 0; ++d)
        share *= overlap(source[d], change.from.pieces(d), destination[d], change.to.pieces(d));
      if (share > 0) pieces.push_back({share, holders, takers});
    }
  }
  return pieces;
}

}  // namespace pipewright::resharding
