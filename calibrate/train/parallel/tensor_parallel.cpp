// A transformer cut over a tensor-parallel group as Megatron-LM cuts it (Shoeybi et al., arXiv
// 1909.08053): the products into a region by their outputs, whole heads together, those out of it
// by their inputs; the vocabulary by tokens. Norms, positions and biases after a sum are
// everywhere.
#include <fmt/format.h>

#include <utility>

#include "calibrate/train/layers/model.hpp"
#include "calibrate/train/layers/stages_by_builder.hpp"
#include "calibrate/train/parallel/part_layers.hpp"

namespace pipewright::train {
namespace {

using Kind = Step::Kind;

/// The stages of one rank, along with where its weights stand among the whole stage's.
class TensorBuilder {
 public:
  TensorBuilder(const TransformerShape& shape, int sequence, int rank, int ranks)
      : s_(shape), sequence_(sequence), rank_(rank), ranks_(ranks) {}

  void first() {
    const Range own = part(s_.ends.vocabulary);
    take(own.first * s_.hidden, own.count * s_.hidden);
    add(embedding_part(own.first, own.count, s_.hidden));
    point(Kind::leave);
    const int64_t positions = s_.positions == Positions::learned ? sequence_ : 0;
    take(s_.ends.vocabulary * s_.hidden, positions * s_.hidden);
    if (positions > 0) add(position_table(positions, s_.hidden));
    whole_ += (s_.ends.vocabulary + positions) * s_.hidden;
  }

  void block() {
    const int64_t queries = s_.attention.heads * s_.attention.head_dim,
                  keys = s_.attention.kv_heads * s_.attention.head_dim;
    const Range q = part(queries), k = part(keys);
    enter_branch();
    columns(s_.hidden, queries + 2 * keys,
            {q, {queries + k.first, k.count}, {queries + keys + k.first, k.count}}, s_.bias);
    add(attention(static_cast<int>(s_.attention.heads) / ranks_,
                  static_cast<int>(s_.attention.kv_heads) / ranks_,
                  static_cast<int>(s_.attention.head_dim), !s_.encoder));
    leave_branch(queries);
    enter_branch();
    columns(s_.hidden, s_.ffn, {part(s_.ffn)}, s_.bias);
    add(gelu());
    leave_branch(s_.ffn);
  }

  void last() {
    const Range own = part(s_.ends.vocabulary);
    everywhere(layer_norm(s_.hidden));
    point(Kind::enter);
    columns(s_.hidden, s_.ends.vocabulary, {own}, false);
    add(softmax_statistics(own.first, own.count));
    point(Kind::softmax);
    add(part_loss(own.first, own.count));
  }

  /// Returns what was added since the stage before.
  Stage stage(const std::vector<float>& whole) {
    Stage stage;
    for (const int64_t place : places_) stage.initial.push_back(whole[static_cast<size_t>(place)]);
    stage.places = std::exchange(places_, {});
    stage.layers = Sequence(std::exchange(steps_, {}));
    whole_ = 0;
    return stage;
  }

 private:
  Range part(int64_t size) const { return {size / ranks_ * rank_, size / ranks_}; }
  void add(LayerPointer layer) { steps_.push_back({Kind::layer, std::move(layer), nullptr}); }
  void point(Kind kind) { steps_.push_back({kind, nullptr, nullptr}); }

  /// Weights of the layer at hand, counted from its first.
  void take(int64_t first, int64_t count) {
    for (int64_t i = 0; i < count; ++i) places_.push_back(whole_ + first + i);
  }

  void everywhere(LayerPointer layer) {
    take(0, layer->parameters());
    whole_ += layer->parameters();
    add(std::move(layer));
  }

  void enter_branch() {
    point(Kind::fork);
    everywhere(layer_norm(s_.hidden));
    point(Kind::enter);
  }

  void leave_branch(int64_t in) {
    rows(in, s_.hidden);
    if (s_.bias) everywhere(bias(s_.hidden));
    point(Kind::join);
  }

  /// A product of whose outputs this rank has `own`.
  void columns(int64_t in, int64_t out, const std::vector<Range>& own, bool has_bias) {
    int64_t width = 0;
    for (const Range& range : own) {
      take(range.first * in, range.count * in);
      width += range.count;
    }
    if (has_bias)
      for (const Range& range : own) take(out * in + range.first, range.count);
    whole_ += out * in + (has_bias ? out : 0);
    add(linear(in, width, has_bias));
  }

  /// A product of whose inputs this rank has its part.
  void rows(int64_t in, int64_t out) {
    const Range own = part(in);
    for (int64_t row = 0; row < out; ++row) take(row * in + own.first, own.count);
    whole_ += out * in;
    add(linear(own.count, out, false));
    point(Kind::leave);
  }

  const TransformerShape& s_;
  int64_t sequence_;
  int rank_, ranks_;
  std::vector<Step> steps_;
  std::vector<int64_t> places_;
  int64_t whole_ = 0;  ///< weights of the whole stage before the layer at hand
};

}  // namespace

std::vector<Stage> tensor_parallel_stages(const TransformerShape& shape, int sequence, int rank,
                                          int ranks, const std::vector<int>& blocks,
                                          const std::vector<Stage>& whole) {
  return stages_by(TensorBuilder(shape, sequence, rank, ranks), blocks, whole);
}

std::string not_divided(const TransformerShape& s, int ranks) {
  const std::pair<const char*, int64_t> sizes[] = {{"heads", s.attention.heads},
                                                   {"kv_heads", s.attention.kv_heads},
                                                   {"ffn", s.ffn},
                                                   {"vocabulary", s.ends.vocabulary}};
  for (const auto& [name, size] : sizes)
    if (size % ranks != 0)
      return fmt::format("{} {} is no multiple of the {} tensor-parallel ranks", name, size, ranks);
  return "";
}

}  // namespace pipewright::train
