// Assumption: the library fuses what it recognises, operation by operation; this is the pattern
// that it documents (cuDNN's graph API, "fused flash attention"). Equation: P = softmax(mask(s Q
// K^T)), Y = P V, L = log of the sums of exponentials, s = d^-1/2; backward with D = rows of sum(dY
// Y):
//   P = exp(mask(s Q K^T - L)), dV = P^T dY, dS = s P (dY V^T - D), dK = dS^T Q, dQ = dS K
// (Dao et al.: arXiv 2205.14135, algorithms 1 and 4).
// Symbols: b sequences, h heads of queries, g of keys, t tokens, d numbers of a head.
// Constraints: keys and values are handed over transposed [b, g, d, t]; L stands as [b, h, t, 1]
// without gaps; dQ is summed in fp32 in workspace; heads that share keys are summed last.
#include "kernels/cuda/cudnn/attention.hpp"

#include <cmath>
#include <limits>

namespace pipewright::kernels::cuda::cudnn {
namespace {

constexpr cudnnDataType_t fp32 = CUDNN_DATA_FLOAT;

Layout transposed(Layout layout) {
  std::swap(layout.sizes[2], layout.sizes[3]);
  std::swap(layout.strides[2], layout.strides[3]);
  return layout;
}

/// A graph of attention while it is written down.
struct Writer {
  using Id = Graph::Id;

  Writer(const Library& library, const FusedAttention& shape)
      : graph(std::make_unique<Graph>(library)),
        s(shape),
        stored(type_of(shape.numbers)),
        // Before 9.10 softmax wanted a number instead.
        hidden(library.get_version() < 91000 ? std::numeric_limits<float>::lowest()
                                             : -std::numeric_limits<float>::infinity()) {}

  /// Returns the layout of our tensors: heads within a token.
  Layout rows(int64_t heads) const {
    const int64_t width = heads * s.head_dim;
    return {{s.sequences, heads, s.tokens, s.head_dim}, {s.tokens * width, s.head_dim, width, 1}};
  }
  Layout queries() const { return rows(s.heads); }
  Layout keys() const { return rows(s.kv_heads); }
  Layout scores() const { return packed({s.sequences, s.heads, s.tokens, s.tokens}); }
  Sizes one_a_row() const { return {s.sequences, s.heads, s.tokens, 1}; }

  Id apply(cudnnPointwiseMode_t mode, Id x, const Layout& layout) {
    const Id y = graph->between(fp32, layout);
    graph->pointwise(mode, x, y);
    return y;
  }
  Id apply(cudnnPointwiseMode_t mode, Id x, Id b, const Layout& layout) {
    const Id y = graph->between(fp32, layout);
    graph->pointwise(mode, x, b, y);
    return y;
  }
  Id reduced(cudnnReduceTensorOp_t by, Id x) {
    const Id y = graph->between(fp32, packed(one_a_row()));
    graph->reduce(by, x, y);
    return y;
  }
  Id product(Id a, Id b, const Layout& layout) {
    const Id c = graph->between(fp32, layout);
    graph->multiply(a, b, c);
    return c;
  }

  /// Scores of keys after the query's own become `hidden`.
  Id masked(Id x) {
    if (!s.causal) return x;
    const Id row = graph->between(CUDNN_DATA_INT32, scores());
    const Id column = graph->between(CUDNN_DATA_INT32, scores());
    graph->index(x, 2, row);
    graph->index(x, 3, column);
    const Id seen = graph->between(CUDNN_DATA_BOOLEAN, scores());
    graph->pointwise(CUDNN_POINTWISE_CMP_GE, row, column, seen);
    const Id y = graph->between(fp32, scores());
    graph->select(x, graph->number(hidden), seen, y);
    return y;
  }
  Id scaled(Id x) { return apply(CUDNN_POINTWISE_MUL, x, scale(), scores()); }
  Id scale() {
    return graph->number(static_cast<float>(1 / std::sqrt(static_cast<double>(s.head_dim))));
  }
  /// Probabilities before the last division, which fits after the sums.
  Id softmax(Id x, Id log_sums) {
    const Id most = reduced(CUDNN_REDUCE_TENSOR_MAX, x);
    const Id below = apply(CUDNN_POINTWISE_SUB, x, most, scores());
    const Id powers = apply(CUDNN_POINTWISE_EXP, below, scores());
    const Id sums = reduced(CUDNN_REDUCE_TENSOR_ADD, powers);
    const Id logs = apply(CUDNN_POINTWISE_LOG, sums, packed(one_a_row()));
    graph->pointwise(CUDNN_POINTWISE_ADD, most, logs, log_sums);
    const Id y = graph->between(stored, scores());
    graph->pointwise(CUDNN_POINTWISE_DIV, powers, sums, y);
    return y;
  }
  /// x^T in the numbers that products take.
  Id turned(Id x) {
    const Id y = graph->between(stored, transposed(scores()));
    graph->reshape(x, y);
    return y;
  }
  /// to = a b, for all heads that share a key's, which are summed.
  void into_keys(Id a, Id b, Id to) {
    if (s.heads == s.kv_heads) return graph->multiply(a, b, to);
    const Id each = graph->between(stored, packed({s.sequences, s.heads, s.tokens, s.head_dim}));
    graph->multiply(a, b, each);
    graph->reduce(CUDNN_REDUCE_TENSOR_ADD, each, to);
  }
  /// D: of every row the sum of dy y, stored between cuDNN's kernels.
  Id row_sums(Id dy, Id y) {
    Layout layout = queries();
    layout.strides = {s.heads * s.tokens * s.head_dim, s.tokens * s.head_dim, s.heads * s.head_dim,
                      1};
    const Id products = apply(CUDNN_POINTWISE_MUL, dy, y, layout);
    const Id sums = reduced(CUDNN_REDUCE_TENSOR_ADD, products);
    const Id kept = graph->scratch(one_a_row());
    graph->pointwise(CUDNN_POINTWISE_MUL, sums, graph->number(1), kept);
    return kept;
  }

  std::unique_ptr<Graph> graph;
  const FusedAttention& s;
  cudnnDataType_t stored;
  float hidden;
};

}  // namespace

std::unique_ptr<Graph> attention_graph(const Library& library, const FusedAttention& shape) {
  Writer w(library, shape);
  Graph& g = *w.graph;
  const auto q = g.given(w.stored, w.queries());
  const auto k = g.given(w.stored, transposed(w.keys()));
  const auto v = g.given(w.stored, w.keys());
  const auto y = g.given(w.stored, w.queries());
  const auto log_sums = g.given(fp32, packed(w.one_a_row()));
  const auto scores = w.masked(w.scaled(w.product(q, k, w.scores())));
  g.multiply(w.softmax(scores, log_sums), v, y);
  return std::move(w.graph);
}

std::unique_ptr<Graph> attention_gradient_graph(const Library& library,
                                                const FusedAttention& shape) {
  Writer w(library, shape);
  Graph& g = *w.graph;
  const auto q = g.given(w.stored, w.queries());
  const auto k = g.given(w.stored, transposed(w.keys()));
  const auto v = g.given(w.stored, transposed(w.keys()));
  const auto y = g.given(w.stored, w.queries());
  const auto log_sums = g.given(fp32, packed(w.one_a_row()));
  const auto dy = g.given(w.stored, w.queries());
  const auto dq = g.given(w.stored, w.queries());
  const auto dk = g.given(w.stored, w.keys());
  const auto dv = g.given(w.stored, w.keys());

  const auto sums = w.row_sums(dy, y);
  const auto scores = w.scaled(w.product(q, k, w.scores()));
  const auto below = w.apply(CUDNN_POINTWISE_SUB, scores, log_sums, w.scores());
  const auto p = w.apply(CUDNN_POINTWISE_EXP, w.masked(below), w.scores());
  w.into_keys(w.turned(p), dy, dv);

  const auto dp = w.product(dy, v, w.scores());
  const auto centred = w.apply(CUDNN_POINTWISE_SUB, dp, sums, w.scores());
  const auto ds = w.scaled(w.apply(CUDNN_POINTWISE_MUL, centred, p, w.scores()));
  w.into_keys(w.turned(ds), q, dk);

  const auto plain_k = g.between(w.stored, w.keys());
  g.reshape(k, plain_k);
  const auto summed = g.scratch({shape.sequences, shape.heads, shape.tokens, shape.head_dim});
  g.multiply(ds, plain_k, summed);
  g.pointwise(CUDNN_POINTWISE_IDENTITY, summed, dq);
  return std::move(w.graph);
}

}  // namespace pipewright::kernels::cuda::cudnn
