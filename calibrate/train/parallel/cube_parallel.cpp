// A transformer cut over a cube of tensor-parallel ranks, as cube_layers.hpp says: a rank has an
// l^2-th of the sequences, an l-th of the heads and of every width, an l^3-th of every matrix.
// Norms are sums over the ranks that share a row, and so is the loss.
#include <fmt/format.h>

#include <array>
#include <utility>

#include "calibrate/train/layers/model.hpp"
#include "calibrate/train/layers/stages_by_builder.hpp"
#include "calibrate/train/parallel/cube_layers.hpp"
#include "calibrate/train/parallel/own_sequences.hpp"
#include "calibrate/train/parallel/part_layers.hpp"

namespace pipewright::train {
namespace {

using Kind = Step::Kind;

/// The stages of one rank, along with where its weights stand among the whole stage's.
class CubeBuilder {
 public:
  CubeBuilder(const TransformerShape& shape, int sequence, int rank, int side)
      : s_(shape),
        sequence_(sequence),
        side_(side),
        x_(rank % side),
        y_(rank / side % side),
        z_(rank / side / side) {}

  void first() {
    const Range rows = part(s_.ends.vocabulary, y_), columns = part(s_.hidden, z_);
    const int64_t positions = s_.positions == Positions::learned ? sequence_ : 0;
    cuts_.push_back(steps_.size());
    take_block({rows}, columns, s_.hidden);
    take_rows(s_.ends.vocabulary, positions, columns);
    whole_ += (s_.ends.vocabulary + positions) * s_.hidden;
    add(cube_embedding({.side = side_,
                        .x = x_,
                        .first = rows.first,
                        .tokens = rows.count,
                        .positions = positions,
                        .width = columns.count}));
  }

  void block() {
    const int64_t queries = s_.attention.heads * s_.attention.head_dim,
                  keys = s_.attention.kv_heads * s_.attention.head_dim;
    const Range q = part(queries, y_), k = part(keys, y_);
    cuts_.push_back(steps_.size());
    enter_branch();
    product({.in = s_.hidden, .out = queries + 2 * keys, .normed = true, .bias = s_.bias},
            {q, {queries + k.first, k.count}, {queries + keys + k.first, k.count}});
    add(over_sequences(attention(static_cast<int>(s_.attention.heads) / side_,
                                 static_cast<int>(s_.attention.kv_heads) / side_,
                                 static_cast<int>(s_.attention.head_dim), !s_.encoder),
                       x_ * side_ + z_, side_ * side_));
    leave_branch(queries);
    enter_branch();
    product({.in = s_.hidden, .out = s_.ffn, .normed = true, .bias = s_.bias}, {part(s_.ffn, y_)});
    add(gelu());
    leave_branch(s_.ffn);
  }

  void last() {
    const Range own = part(s_.ends.vocabulary, y_);
    cuts_.push_back(steps_.size());
    add(cube_norm(s_.hidden / side_, s_.hidden));
    product({.in = s_.hidden, .out = s_.ends.vocabulary, .normed = true}, {own});
    add(over_sequences(softmax_statistics(own.first, own.count), x_ * side_ + z_, side_ * side_));
    point(Kind::softmax);
    add(over_sequences(part_loss(own.first, own.count), x_ * side_ + z_, side_ * side_));
  }

  /// Returns what was added since the stage before.
  Stage stage(const std::vector<float>& whole) {
    Stage stage;
    for (const int64_t place : places_) stage.initial.push_back(whole[static_cast<size_t>(place)]);
    stage.places = std::exchange(places_, {});
    if (cuts_.empty()) cuts_.push_back(0);
    stage.layers = Sequence(std::exchange(steps_, {}), std::exchange(cuts_, {}));
    whole_ = 0;
    return stage;
  }

 private:
  /// A whole product; `turned`: its inputs are cut by y.
  struct Product {
    int64_t in = 0, out = 0;
    bool turned = false, normed = false, bias = false;
  };

  Range part(int64_t size, int place) const { return {size / side_ * place, size / side_}; }
  void add(LayerPointer layer) { steps_.push_back({Kind::layer, std::move(layer), nullptr}); }
  void add(SharedLayerPointer layer) {
    steps_.push_back({Kind::shared, nullptr, std::move(layer)});
  }
  void point(Kind kind) { steps_.push_back({kind, nullptr, nullptr}); }

  void enter_branch() {
    point(Kind::fork);
    add(cube_norm(s_.hidden / side_, s_.hidden));
  }

  void leave_branch(int64_t in) {
    product({.in = in, .out = s_.hidden, .turned = true, .bias = s_.bias}, {part(s_.hidden, z_)});
    point(Kind::join);
  }

  /// `rows` of W are those of this rank's block.
  void product(const Product& p, const std::vector<Range>& rows) {
    const Range columns = part(p.in, p.turned ? y_ : z_);
    if (p.normed) {
      take(columns.first, columns.count);
      take(p.in + columns.first, columns.count);
      whole_ += 2 * p.in;
    }
    take_block(rows, columns, p.in);
    whole_ += p.out * p.in;
    if (p.bias) {
      for (const Range& range : rows) take(range.first, range.count);
      whole_ += p.out;
    }
    add(cube_product({.side = side_,
                      .in = columns.count,
                      .out = p.out / side_,
                      .normed = p.normed,
                      .bias = p.bias}));
  }

  /// Weights of the layer at hand, counted from its first.
  void take(int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) places_.push_back(whole_ + first + i);
  }
  void take_rows(int64_t first, int64_t count, const Range& columns) {
    for (int64_t row = first; row < first + count; ++row)
      take(row * s_.hidden + columns.first, columns.count);
  }

  /// Takes, row by row of a block, this rank's part among those along x.
  void take_block(const std::vector<Range>& rows, const Range& columns, int64_t stride) {
    std::vector<int64_t> block;
    for (const Range& range : rows)
      for (int64_t row = range.first; row < range.end(); ++row)
        for (int64_t i = 0; i < columns.count; ++i)
          block.push_back(whole_ + row * stride + columns.first + i);
    const Range own = part(static_cast<int64_t>(block.size()), x_);
    places_.insert(places_.end(), block.begin() + own.first, block.begin() + own.end());
  }

  const TransformerShape& s_;
  int64_t sequence_;
  int side_, x_, y_, z_;
  std::vector<Step> steps_;
  std::vector<size_t> cuts_;  ///< where layers begin
  std::vector<int64_t> places_;
  int64_t whole_ = 0;  ///< weights of the whole stage before the layer at hand
};

}  // namespace

std::vector<Stage> cube_stages(const TransformerShape& shape, int sequence, int rank, int side,
                               const std::vector<int>& blocks, const std::vector<Stage>& whole) {
  return stages_by(CubeBuilder(shape, sequence, rank, side), blocks, whole);
}

std::string not_on_cube(const TransformerShape& s, int side) {
  const std::array<std::pair<const char*, int64_t>, 5> sizes{{{"heads", s.attention.heads},
                                                              {"kv_heads", s.attention.kv_heads},
                                                              {"hidden", s.hidden},
                                                              {"ffn", s.ffn},
                                                              {"vocabulary", s.ends.vocabulary}}};
  for (const auto& [name, size] : sizes)
    if (size % side != 0)
      return fmt::format("{} {} is no multiple of the cube's side, {}", name, size, side);
  // Blocks of matrices are cut once more, all of them along the hidden width or the queries'.
  for (const int64_t width : {s.hidden, s.attention.heads * s.attention.head_dim})
    if (width % (side * side) != 0)
      return fmt::format("a width of {} is no multiple of the cube's side squared, {}", width,
                         side * side);
  return "";
}

}  // namespace pipewright::train
