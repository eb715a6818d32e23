// One head of one sequence at a time, with scores S = q K^T / sqrt(d), masked, P = softmax(S):
//   y = P V,  log_sum = log sum exp S
//   dV += P^T dy,  dP = dy V^T,  dS = P (dP - rowsum(dy y)),  dq = dS K / sqrt(d),
//   dK += dS^T q / sqrt(d)
#include <cmath>
#include <limits>

#include "kernels/cpu/backend.hpp"
#include "kernels/cpu/maps.hpp"

namespace pipewright::kernels::cpu {
namespace {

/// The views that one head of one sequence works on.
struct Head {
  int64_t query_row, key_row, query_column, key_column;
  const AttentionShape& shape;

  Head(const AttentionShape& s, int sequence, int head)
      : query_row(int64_t{sequence} * s.tokens),
        key_row(int64_t{sequence} * s.total),
        query_column(int64_t{head} * s.head_dim),
        key_column(int64_t{head / (s.heads / s.kv_heads)} * s.head_dim),
        shape(s) {}
  Map queries(const Tensor& t) const {
    return map(t.row_range(query_row, shape.tokens).column_range(query_column, shape.head_dim));
  }
  Map keys(const Tensor& t) const {
    return map(t.row_range(key_row, shape.keys()).column_range(key_column, shape.head_dim));
  }
};

float scale_of(const AttentionShape& shape) {
  return 1 / std::sqrt(static_cast<float>(shape.head_dim));
}

void mask(const AttentionShape& shape, Matrix& scores) {
  if (!shape.causal) return;
  for (int i = 0; i < shape.tokens; ++i) {
    const int unseen = shape.keys() - (shape.first + i + 1);
    scores.row(i).tail(unseen).setConstant(-std::numeric_limits<float>::infinity());
  }
}

void scores_of(const Head& head, const Tensor& q, const Tensor& keys, Matrix& scores) {
  scores.noalias() = head.queries(q) * head.keys(keys).transpose();
  scores *= scale_of(head.shape);
  mask(head.shape, scores);
}

template <class F>
void for_each_head(const AttentionShape& shape, F&& body) {
  for (int sequence = 0; sequence < shape.sequences; ++sequence)
    for (int head = 0; head < shape.heads; ++head) body(Head(shape, sequence, head), head);
}

}  // namespace

void Attention::attention(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                          const Tensor& values, const Tensor& y, const Tensor& log_sums) {
  Matrix p(shape.tokens, shape.keys());
  for_each_head(shape, [&](const Head& head, int h) {
    scores_of(head, q, keys, p);
    for (int i = 0; i < shape.tokens; ++i) {
      const float highest = p.row(i).maxCoeff();
      p.row(i) = (p.row(i).array() - highest).exp();
      const float sum = p.row(i).sum();
      p.row(i) /= sum;
      map(log_sums)(head.query_row + i, h) = highest + std::log(sum);
    }
    head.queries(y).noalias() = p * head.keys(values);
  });
}

void Attention::attention_gradient(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                                   const Tensor& values, const Tensor& y, const Tensor& log_sums,
                                   const Tensor& dy, const Tensor& dq, const Tensor& d_keys,
                                   const Tensor& d_values) {
  Matrix p(shape.tokens, shape.keys()), ds(shape.tokens, shape.keys());
  for_each_head(shape, [&](const Head& head, int h) {
    scores_of(head, q, keys, p);
    for (int i = 0; i < shape.tokens; ++i)
      p.row(i) = (p.row(i).array() - map(log_sums)(head.query_row + i, h)).exp();
    head.keys(d_values).noalias() += p.transpose() * head.queries(dy);
    ds.noalias() = head.queries(dy) * head.keys(values).transpose();
    for (int i = 0; i < shape.tokens; ++i) {
      const float along = head.queries(dy).row(i).dot(head.queries(y).row(i));
      ds.row(i) = (p.row(i).array() * (ds.row(i).array() - along)).matrix();
    }
    ds *= scale_of(shape);
    head.queries(dq).noalias() = ds * head.keys(keys);
    head.keys(d_keys).noalias() += ds.transpose() * head.queries(q);
  });
}

}  // namespace pipewright::kernels::cpu
