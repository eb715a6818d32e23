#include "calibrate/train/parallel/cube.hpp"

#include <array>

namespace pipewright::train {
namespace {

using Form = Kernels::Form;

/// Block (row, column) of a matrix, and the line of ranks that share it.
struct Place {
  int row = 0, column = 0, piece = 0;
};

Place place_of(const Cube& cube, CubeMatrix which, int rank) {
  const int l = cube.side, i = rank % l, j = rank / l % l, k = rank / l / l;
  if (which == CubeMatrix::x) return {i, k, j};
  if (which == CubeMatrix::w) return {k, j, i};
  return {i, j, k};
}

struct Shape {
  int64_t rows = 0, columns = 0;
};

Shape block_of(const Cube& cube, CubeMatrix which) {
  const int64_t m = cube.m / cube.side, n = cube.n / cube.side, k = cube.k / cube.side;
  if (which == CubeMatrix::x) return {m, k};
  if (which == CubeMatrix::w) return {k, n};
  return {m, n};
}

/// Everybody has a part and gets all: rows of a block are one after the other.
Movement all_gather(const Cube& cube, CubeMatrix which) {
  const Shape block = block_of(cube, which);
  const int64_t numbers = block.rows * block.columns;
  const auto members = static_cast<size_t>(cube.side);
  return {even_parts(numbers, cube.side, block.columns),
          std::vector<Range>(members, Range{0, numbers})};
}

/// Calls with the ranks of every line along which blocks of `which` are shared, in order.
template <class F>
void for_each_line(const Cube& cube, CubeMatrix which, F&& body) {
  for (int first = 0; first < cube.ranks(); ++first) {
    const Place block = place_of(cube, which, first);
    if (block.piece != 0) continue;
    std::vector<size_t> line(static_cast<size_t>(cube.side));
    for (int rank = 0; rank < cube.ranks(); ++rank) {
      const Place other = place_of(cube, which, rank);
      if (other.row == block.row && other.column == block.column)
        line[static_cast<size_t>(other.piece)] = static_cast<size_t>(rank);
    }
    body(line);
  }
}

/// Along every line forward or adjoint.
template <class F>
Workers along_lines(const Cube& cube, CubeMatrix which, const Workers& all, F&& move) {
  Workers moved(all.size());
  for_each_line(cube, which, [&](const std::vector<size_t>& line) {
    Workers members;
    for (const size_t rank : line) members.push_back(all[rank]);
    members = move(members);
    for (size_t i = 0; i < line.size(); ++i) moved[line[i]] = members[i];
  });
  return moved;
}

Array shaped(const Array& numbers, const Shape& shape) {
  return {numbers.memory, {numbers.tensor.data, shape.rows, shape.columns, shape.columns}};
}

Workers gathered(const Cube& cube, CubeMatrix which, Kernels& kernels, const Workers& pieces) {
  Workers blocks = along_lines(cube, which, pieces, [&](const Workers& line) {
    return forward(all_gather(cube, which), kernels, line);
  });
  for (Array& block : blocks) block = shaped(block, block_of(cube, which));
  return blocks;
}

Workers reduce_scattered(const Cube& cube, CubeMatrix which, Kernels& kernels, Workers blocks) {
  const Shape block = block_of(cube, which);
  for (Array& one : blocks) one = shaped(one, {1, block.rows * block.columns});
  return along_lines(cube, which, blocks, [&](const Workers& line) {
    return adjoint(all_gather(cube, which), kernels, line);
  });
}

struct Factor {
  CubeMatrix which;
  const Workers& pieces;
  Form form;
};

Workers product(const Cube& cube, Kernels& kernels, const Factor& a, const Factor& b,
                CubeMatrix to) {
  const Workers left = gathered(cube, a.which, kernels, a.pieces);
  const Workers right = gathered(cube, b.which, kernels, b.pieces);
  const Shape block = block_of(cube, to);
  Workers parts;
  for (size_t rank = 0; rank < left.size(); ++rank) {
    parts.push_back(kernels.array(block.rows, block.columns));
    kernels.multiply(left[rank], a.form, right[rank], b.form, parts.back(), false);
  }
  return reduce_scattered(cube, to, kernels, std::move(parts));
}

/// The rows of the whole matrix that a rank has.
Tensor piece_of(const Cube& cube, CubeMatrix which, const Tensor& whole, int rank) {
  const Shape block = block_of(cube, which);
  const Place place = place_of(cube, which, rank);
  const Range part = even_parts(block.rows, cube.side)[static_cast<size_t>(place.piece)];
  return whole.row_range(place.row * block.rows + part.first, part.count)
      .column_range(place.column * block.columns, block.columns);
}

}  // namespace

Workers cut(const Cube& cube, CubeMatrix which, Kernels& kernels, const Tensor& whole) {
  Workers pieces;
  for (int rank = 0; rank < cube.ranks(); ++rank) {
    const Tensor from = piece_of(cube, which, whole, rank);
    const Array piece = kernels.array(from.rows, from.columns);
    kernels.copy(from, piece);
    pieces.push_back(shaped(piece, {1, from.size()}));
  }
  return pieces;
}

Array join(const Cube& cube, CubeMatrix which, Kernels& kernels, const Workers& pieces) {
  const Shape block = block_of(cube, which);
  Array whole = kernels.array(block.rows * cube.side, block.columns * cube.side);
  for (int rank = 0; rank < cube.ranks(); ++rank) {
    const Tensor to = piece_of(cube, which, whole, rank);
    kernels.copy(shaped(pieces[static_cast<size_t>(rank)], {to.rows, to.columns}), to);
  }
  return whole;
}

Workers cube_forward(const Cube& cube, Kernels& kernels, const Workers& x, const Workers& w) {
  return product(cube, kernels, {CubeMatrix::x, x, Form::plain}, {CubeMatrix::w, w, Form::plain},
                 CubeMatrix::y);
}

Workers cube_input_gradient(const Cube& cube, Kernels& kernels, const Workers& dy,
                            const Workers& w) {
  return product(cube, kernels, {CubeMatrix::y, dy, Form::plain},
                 {CubeMatrix::w, w, Form::transposed}, CubeMatrix::x);
}

Workers cube_weight_gradient(const Cube& cube, Kernels& kernels, const Workers& dy,
                             const Workers& x) {
  return product(cube, kernels, {CubeMatrix::x, x, Form::transposed},
                 {CubeMatrix::y, dy, Form::plain}, CubeMatrix::w);
}

}  // namespace pipewright::train
