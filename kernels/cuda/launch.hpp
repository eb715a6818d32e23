// The device kernels, put at the end of a stream. Shapes and formulas are those of kernels.hpp.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/kernels.hpp"
#include "kernels/philox.hpp"

namespace pipewright::kernels::cuda {

inline constexpr int most_head_dim = 256;

// --- elementwise.cu ---
void add(cudaStream_t stream, float factor, const Tensor& from, const Tensor& to);
void gelu(cudaStream_t stream, const Tensor& x, const Tensor& y);
void gelu_gradient(cudaStream_t stream, const Tensor& x, const Tensor& dy, const Tensor& dx);
void relu(cudaStream_t stream, const Tensor& x, const Tensor& y);
void relu_gradient(cudaStream_t stream, const Tensor& y, const Tensor& dy, const Tensor& dx);
void add_bias(cudaStream_t stream, const Tensor& bias, const Tensor& y);
void momentum_step(cudaStream_t stream, float learning_rate, float momentum, const Tensor& gradient,
                   const Tensor& velocity, const Tensor& weights);

/// Adam's numbers as the kernel multiplies with them.
struct AdamFactors {
  float learning_rate, beta1, beta2, epsilon;
  float keep;                           ///< of the weights, after decoupled decay
  float correct_first, correct_second;  ///< undo the moments' bias towards zero
};
void adam_step(cudaStream_t stream, const AdamFactors& factors, const Tensor& gradient,
               const Tensor& first, const Tensor& second, const Tensor& weights);
void adam_direction(cudaStream_t stream, const AdamFactors& factors, const Tensor& first,
                    const Tensor& second, const Tensor& to);
void to_bf16(cudaStream_t stream, const Tensor& from, const Tensor& to);
/// Four numbers in the place of one, divided by *scale.
void to_e4m3(cudaStream_t stream, const Tensor& from, const float* scale, const Tensor& to);
void to_e5m2(cudaStream_t stream, const Tensor& from, const float* scale, const Tensor& to);
/// One thread that watches the device's clock.
void spin(cudaStream_t stream, int64_t nanoseconds);

// --- rows.cu ---
/// Rows of partial sums that column_sums and layer_norm_weight_gradient want.
int64_t partial_rows(int64_t rows);
/// `partial` has partial_rows(dy.rows) rows.
void add_rows(cudaStream_t stream, const Tensor& dy, const Tensor& d_bias, const Tensor& partial);
void layer_norm(cudaStream_t stream, const Tensor& x, const Tensor& gain, const Tensor& bias,
                const Tensor& y, const Tensor& statistics);
void layer_norm_input_gradient(cudaStream_t stream, const Tensor& x, const Tensor& gain,
                               const Tensor& statistics, const Tensor& dy, const Tensor& dx);
void layer_norm_gain_gradient(cudaStream_t stream, const Tensor& x, const Tensor& statistics,
                              const Tensor& dy, const Tensor& d_gain, const Tensor& partial);
void gather_rows(cudaStream_t stream, const int32_t* tokens, const Tensor& table, const Tensor& y);
void scatter_rows(cudaStream_t stream, const int32_t* tokens, const Tensor& dy,
                  const Tensor& d_table);
/// `row_loss` [rows, 1] is scratch.
void cross_entropy(cudaStream_t stream, const Tensor& logits, const int32_t* targets, float scale,
                   const Tensor& d_logits, const Tensor& loss, const Tensor& row_loss);

// --- rms_norm.cu ---
void rms_norm(cudaStream_t stream, const Tensor& x, const Tensor& gain, const Tensor& y,
              const Tensor& inverse);
void rms_norm_input_gradient(cudaStream_t stream, const Tensor& x, const Tensor& gain,
                             const Tensor& inverse, const Tensor& dy, const Tensor& dx);
void rms_norm_weight_gradient(cudaStream_t stream, const Tensor& x, const Tensor& inverse,
                              const Tensor& dy, const Tensor& d_gain, const Tensor& partial);

// --- swiglu.cu ---
void swiglu(cudaStream_t stream, const Tensor& gate, const Tensor& up, const Tensor& y);
void swiglu_gradient(cudaStream_t stream, const Tensor& gate, const Tensor& up, const Tensor& dy,
                     const Tensor& d_gate, const Tensor& d_up);

// --- rotary.cu ---
/// Heads of at most most_head_dim numbers.
void rotate(cudaStream_t stream, const RotaryShape& shape, bool backward, const Tensor& x,
            const Tensor& y);

// --- dropout.cu ---
void dropout_add(cudaStream_t stream, const DropMask& mask, const Tensor& x, const Tensor& residual,
                 const Tensor& y);
void dropout_gradient(cudaStream_t stream, const DropMask& mask, const Tensor& dy,
                      const Tensor& dx);

// --- softmax.cu ---
void softmax(cudaStream_t stream, const Tensor& x, const Tensor& y);
void softmax_gradient(cudaStream_t stream, const Tensor& y, const Tensor& dy, const Tensor& dx);

// --- images.cu ---
void unfold(cudaStream_t stream, const WindowShape& shape, const Tensor& x, const Tensor& patches);
void fold(cudaStream_t stream, const WindowShape& shape, const Tensor& patches, const Tensor& dx);
void max_pool(cudaStream_t stream, const WindowShape& shape, const Tensor& x, const Tensor& y);
void max_pool_gradient(cudaStream_t stream, const WindowShape& shape, const Tensor& x,
                       const Tensor& dy, const Tensor& dx);

// --- lstm.cu ---
void lstm_cell(cudaStream_t stream, const Tensor& gates, const Tensor& c_before, const Tensor& c,
               const Tensor& y);
void lstm_cell_gradient(cudaStream_t stream, const Tensor& gates, const Tensor& c_before,
                        const Tensor& c, const Tensor& dy, const Tensor& dc, const Tensor& d_gates);

// --- attention.cu ---
struct AttentionSizes {
  int sequences, first, tokens, total, heads, kv_heads, head_dim;
  bool causal;
};
void attention(cudaStream_t stream, const AttentionSizes& sizes, const Tensor& q,
               const Tensor& keys, const Tensor& values, const Tensor& y, const Tensor& log_sums);
void attention_gradient(cudaStream_t stream, const AttentionSizes& sizes, const Tensor& q,
                        const Tensor& keys, const Tensor& values, const Tensor& y,
                        const Tensor& log_sums, const Tensor& dy, const Tensor& dq,
                        const Tensor& d_keys, const Tensor& d_values);

}  // namespace pipewright::kernels::cuda
