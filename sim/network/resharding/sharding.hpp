// The layout of a tensor over a mesh of devices: for each dimension whether it is replicated (R) or
// cut over the mesh's rows (S0), its columns (S1) or both (S01, S10).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pipewright::resharding {

enum class Cut : uint8_t { none, rows, columns, rows_columns, columns_rows };

struct Sharding {
  std::vector<Cut> dimensions;
  int rows = 1, columns = 1;
  int copies = 1;  ///< neighbours in a row that hold the same; divides the columns

  int devices() const { return rows * columns; }
  /// Returns the number of pieces into which a dimension is cut; below, the piece that a device of
  /// the mesh holds.
  int pieces(size_t dimension) const;
  int piece(size_t dimension, int device) const;
};

/// "RS0R"; empty where a letter is unknown or two dimensions are cut over the same side.
std::optional<std::vector<Cut>> cuts_named(std::string_view text);

/// A change of layout from one mesh to another.
struct Change {
  Sharding from, to;
};

/// "RS0R@(2,4) -> S01R@(3,4)". Where one side names fewer dimensions its further ones are
/// replicated. Throws InputError that says where in the text.
Change read_change(std::string_view text);

}  // namespace pipewright::resharding
