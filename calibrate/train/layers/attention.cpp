// Keys and values of a micro-batch are kept for all its token slices: a slice attends to its own
// and to those before it, so slices go forward in order and backward in reverse, the gradients of
// keys and values adding up until their own slice comes.
#include "calibrate/train/layers/layer.hpp"

namespace pipewright::train {
namespace {

class Attention final : public Layer {
 public:
  Attention(int heads, int kv_heads, int head_dim, bool causal)
      : heads_(heads), kv_heads_(kv_heads), head_dim_(head_dim), causal_(causal) {}

  Array forward(const Call& call, const Array& x) const override {
    open_cache(call);
    const Array &keys = call.stash.shared[0], &values = call.stash.shared[1];
    for_each_sequence(call.batch, [&](int64_t row, int64_t cached) {
      const Tensor slice = x.tensor.row_range(row, call.batch.tokens);
      call.kernels.copy(key_columns(slice), rows(keys, call, cached));
      call.kernels.copy(value_columns(slice), rows(values, call, cached));
    });
    Array y = call.kernels.array(x.tensor.rows, query_width());
    Array log_sums = call.kernels.array(x.tensor.rows, heads_);
    call.kernels.attention(shape(call.batch), query_columns(x), keys, values, y, log_sums);
    call.stash.of(call.batch) = {x, y, log_sums};
    return y;
  }

  Array input_gradient(const Call& call, const Array& dy) const override {
    std::vector<Array>& kept = call.stash.of(call.batch);
    std::vector<Array>& shared = call.stash.shared;
    if (shared.size() == 2) open_gradients(call);
    Array dx = call.kernels.array(kept[0].tensor.rows, kept[0].tensor.columns);
    call.kernels.attention_gradient(shape(call.batch), query_columns(kept[0]), shared[0], shared[1],
                                    kept[1], kept[2], dy, query_columns(dx), shared[2], shared[3]);
    for_each_sequence(call.batch, [&](int64_t row, int64_t cached) {
      const Tensor slice = dx.tensor.row_range(row, call.batch.tokens);
      call.kernels.copy(rows(shared[2], call, cached), key_columns(slice));
      call.kernels.copy(rows(shared[3], call, cached), value_columns(slice));
    });
    kept.clear();
    if (call.batch.slice == 0) shared.clear();  // the last to go backward
    return dx;
  }

  void weight_gradient(const Call&, const Tensor&) const override {}

 private:
  int64_t query_width() const { return int64_t{heads_} * head_dim_; }
  int64_t key_width() const { return int64_t{kv_heads_} * head_dim_; }
  Tensor query_columns(const Tensor& x) const { return x.column_range(0, query_width()); }
  Tensor key_columns(const Tensor& x) const { return x.column_range(query_width(), key_width()); }
  Tensor value_columns(const Tensor& x) const {
    return x.column_range(query_width() + key_width(), key_width());
  }
  static Tensor rows(const Array& cache, const Call& call, int64_t first) {
    return cache.tensor.row_range(first, call.batch.tokens);
  }

  kernels::AttentionShape shape(const Batch& batch) const {
    return {.sequences = batch.sequences,
            .first = batch.first,
            .tokens = batch.tokens,
            .total = batch.total,
            .heads = heads_,
            .kv_heads = kv_heads_,
            .head_dim = head_dim_,
            .causal = causal_};
  }

  /// Calls with the first row of each sequence in the slice and in the cache.
  template <class F>
  static void for_each_sequence(const Batch& batch, F&& body) {
    for (int64_t s = 0; s < batch.sequences; ++s)
      body(s * batch.tokens, s * batch.total + batch.first);
  }

  Array cache(const Call& call) const {
    return call.kernels.array(int64_t{call.batch.sequences} * call.batch.total, key_width());
  }
  void open_cache(const Call& call) const {
    if (call.stash.shared.empty()) call.stash.shared = {cache(call), cache(call)};
  }
  void open_gradients(const Call& call) const {
    for (int i = 0; i < 2; ++i) {
      Array gradients = cache(call);
      call.kernels.zero(gradients);
      call.stash.shared.push_back(std::move(gradients));
    }
  }

  int heads_, kv_heads_, head_dim_;
  bool causal_;
};

}  // namespace

LayerPointer attention(int heads, int kv_heads, int head_dim, bool causal) {
  return std::make_unique<Attention>(heads, kv_heads, head_dim, causal);
}

}  // namespace pipewright::train
