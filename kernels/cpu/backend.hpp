// The CPU backend: Eigen on the calling thread. A class for each kind of work.
#pragma once

#include "kernels/cpu/memory.hpp"
#include "kernels/kernels.hpp"

namespace pipewright::kernels::cpu {

class Arrays : public virtual ArrayKernels {
 public:
  std::shared_ptr<float> allocate(int64_t elements) override { return memory_.allocate(elements); }
  void upload(std::span<const float> from, const Tensor& to) override;
  void download(const Tensor& from, std::span<float> to) override;
  void synchronize() override {}
  void zero(const Tensor& to) override;
  void copy(const Tensor& from, const Tensor& to) override;
  void add(double factor, const Tensor& from, const Tensor& to) override;

 private:
  Memory memory_;
};

class Activations : public virtual ActivationKernels {
 public:
  void gelu(const Tensor& x, const Tensor& y) override;
  void gelu_gradient(const Tensor& x, const Tensor& dy, const Tensor& dx) override;
  void relu(const Tensor& x, const Tensor& y) override;
  void relu_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) override;
  void swiglu(const Tensor& gate, const Tensor& up, const Tensor& y) override;
  void swiglu_gradient(const Tensor& gate, const Tensor& up, const Tensor& dy, const Tensor& d_gate,
                       const Tensor& d_up) override;
  void dropout_add(const Dropout& dropout, const Tensor& x, const Tensor& residual,
                   const Tensor& y) override;
  void dropout_gradient(const Dropout& dropout, const Tensor& dy, const Tensor& dx) override;
  void softmax(const Tensor& x, const Tensor& y) override;
  void softmax_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) override;
};

class Multiplication : public virtual ProductKernels {
 public:
  void multiply(const Tensor& a, Form a_form, const Tensor& b, Form b_form, const Tensor& c,
                bool accumulate) override;
  void multiply_batched(int64_t batch, const Tensor& a, Form a_form, const Tensor& b, Form b_form,
                        const Tensor& c, bool accumulate) override;
  void add_bias(const Tensor& bias, const Tensor& y) override;
  void add_rows(const Tensor& dy, const Tensor& d_bias) override;
};

class Norms : public virtual NormKernels {
 public:
  void layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& y,
                  const Tensor& statistics) override;
  void layer_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& statistics,
                                 const Tensor& dy, const Tensor& dx) override;
  void layer_norm_weight_gradient(const Tensor& x, const Tensor& statistics, const Tensor& dy,
                                  const Tensor& d_gain, const Tensor& d_bias) override;
  void rms_norm(const Tensor& x, const Tensor& gain, const Tensor& y,
                const Tensor& inverse) override;
  void rms_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& inverse,
                               const Tensor& dy, const Tensor& dx) override;
  void rms_norm_weight_gradient(const Tensor& x, const Tensor& inverse, const Tensor& dy,
                                const Tensor& d_gain) override;

 private:
  static constexpr float epsilon = 1e-5f;  ///< added to a variance
};

class Attention : public virtual AttentionKernels {
 public:
  void rotate(const RotaryShape& shape, Turn turn, const Tensor& x, const Tensor& y) override;
  void attention(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                 const Tensor& values, const Tensor& y, const Tensor& log_sums) override;
  void attention_gradient(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                          const Tensor& values, const Tensor& y, const Tensor& log_sums,
                          const Tensor& dy, const Tensor& dq, const Tensor& d_keys,
                          const Tensor& d_values) override;
};

class Images : public virtual ImageKernels {
 public:
  void unfold(const WindowShape& shape, const Tensor& x, const Tensor& patches) override;
  void fold(const WindowShape& shape, const Tensor& patches, const Tensor& dx) override;
  void max_pool(const WindowShape& shape, const Tensor& x, const Tensor& y) override;
  void max_pool_gradient(const WindowShape& shape, const Tensor& x, const Tensor& dy,
                         const Tensor& dx) override;
};

class Sequences : public virtual SequenceKernels {
 public:
  void lstm_cell(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                 const Tensor& y) override;
  void lstm_cell_gradient(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                          const Tensor& dy, const Tensor& dc, const Tensor& d_gates) override;
  void gather_rows(std::span<const int32_t> tokens, const Tensor& table, const Tensor& y) override;
  void scatter_rows(std::span<const int32_t> tokens, const Tensor& dy,
                    const Tensor& d_table) override;
  void cross_entropy(const Tensor& logits, std::span<const int32_t> targets, double scale,
                     const Tensor& d_logits, const Tensor& loss) override;
};

class Optimizers : public virtual OptimizerKernels {
 public:
  void momentum_step(double learning_rate, double momentum, const Tensor& gradient,
                     const Tensor& velocity, const Tensor& weights) override;
  void adam_step(const AdamStep& step, const Tensor& gradient, const Tensor& first,
                 const Tensor& second, const Tensor& weights) override;
  void adam_direction(const AdamStep& step, const Tensor& first, const Tensor& second,
                      const Tensor& to) override;
};

class Backend final : public Kernels,
                      public Arrays,
                      public Activations,
                      public Multiplication,
                      public Norms,
                      public Attention,
                      public Images,
                      public Sequences,
                      public Optimizers {};

}  // namespace pipewright::kernels::cpu
