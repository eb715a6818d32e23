// The work of training, kernel by kernel, on one device: an interface for each kind of work, a
// backend for each kind of device. Calls of one rank come from one thread at a time; different
// ranks may call at once.
//
// Shapes are in rows and columns. T tokens (of all sequences of a micro-batch, one after the other)
// are rows; h features are columns. "+=" adds to what is there. A backend may run behind the caller
// until synchronize().
#pragma once

#include <span>

#include "kernels/tensor.hpp"

namespace pipewright::kernels {

/// Attention of token slices: queries are tokens first .. first + tokens of every sequence, keys
/// and values are kept for all `total` tokens of it.
struct AttentionShape {
  int sequences = 1;
  int first = 0, tokens = 0, total = 0;
  int heads = 1, kv_heads = 1, head_dim = 0;
  bool causal =
      true;  ///< a token sees itself and those before; otherwise all of 0 .. first + tokens

  int keys() const { return first + tokens; }
};

/// Windows that are moved over images. An image's places are rows, from its top left to its bottom
/// right, channels are columns; beyond the border all is 0.
struct WindowShape {
  int samples = 1, height = 0, width = 0, channels = 0;  ///< of the images
  int window_height = 1, window_width = 1, stride = 1;
  int pad_height = 0, pad_width = 0;  ///< beyond each border

  int out_height() const { return (height + 2 * pad_height - window_height) / stride + 1; }
  int out_width() const { return (width + 2 * pad_width - window_width) / stride + 1; }
  int64_t rows() const { return int64_t{samples} * height * width; }
  int64_t out_rows() const { return int64_t{samples} * out_height() * out_width(); }
  int64_t patch() const { return int64_t{window_height} * window_width * channels; }
};

/// Rotary position embedding: row r is token first + r % tokens of its sequence, and in every head
/// of d numbers the pair (j, j + d / 2) is turned by token * base^(-2 j / d).
struct RotaryShape {
  int tokens = 1, first = 0;
  int heads = 1, head_dim = 2;
  double base = 10000;
};

/// Numbers that are dropped: the same on every device, as they follow from their place alone
/// (philox.hpp). The number at row r and column c is number r * columns + c of `stream`.
struct Dropout {
  double probability = 0.1;
  uint64_t seed = 0, stream = 0;
};

/// Adam's numbers for one step. Bias correction is by `step`, counted from 1.
struct AdamStep {
  double learning_rate = 1e-3, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double decoupled_decay = 0;  ///< AdamW's weight decay
  int64_t step = 1;
};

/// Memory, and what moves and adds up what is in it.
class ArrayKernels {
 public:
  virtual ~ArrayKernels() = default;

  /// Allocates without initialising.
  virtual std::shared_ptr<float> allocate(int64_t elements) = 0;
  Array array(int64_t rows, int64_t columns) {
    return array_in(allocate(rows * columns), rows, columns);
  }
  virtual void upload(std::span<const float> from, const Tensor& to) = 0;
  virtual void download(const Tensor& from, std::span<float> to) = 0;
  virtual void synchronize() = 0;

  // --- element by element, equal shapes ---
  virtual void zero(const Tensor& to) = 0;
  virtual void copy(const Tensor& from, const Tensor& to) = 0;
  /// to += factor * from
  virtual void add(double factor, const Tensor& from, const Tensor& to) = 0;
};

/// Functions of each number, or of each row.
class ActivationKernels {
 public:
  virtual ~ActivationKernels() = default;

  // --- element by element, equal shapes ---
  /// y = x Phi(x), Phi the standard normal distribution (Hendrycks, Gimpel: arXiv 1606.08415)
  virtual void gelu(const Tensor& x, const Tensor& y) = 0;
  virtual void gelu_gradient(const Tensor& x, const Tensor& dy, const Tensor& dx) = 0;
  /// y = max(x, 0)
  virtual void relu(const Tensor& x, const Tensor& y) = 0;
  /// Computes the gradient from the output y.
  virtual void relu_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) = 0;

  // --- gated activation (Shazeer: arXiv 2002.05202) ---
  /// y = gate sigmoid(gate) up
  virtual void swiglu(const Tensor& gate, const Tensor& up, const Tensor& y) = 0;
  virtual void swiglu_gradient(const Tensor& gate, const Tensor& up, const Tensor& dy,
                               const Tensor& d_gate, const Tensor& d_up) = 0;

  // --- dropout (Srivastava et al. 2014) before a residual sum ---
  /// y = residual + kept(x) / (1 - probability)
  virtual void dropout_add(const Dropout& dropout, const Tensor& x, const Tensor& residual,
                           const Tensor& y) = 0;
  /// dx = kept(dy) / (1 - probability); the residual's gradient is dy
  virtual void dropout_gradient(const Dropout& dropout, const Tensor& dy, const Tensor& dx) = 0;

  // --- softmax of every row ---
  virtual void softmax(const Tensor& x, const Tensor& y) = 0;
  /// Computes the gradient from the output y: dx = y (dy - sum over the row of y dy)
  virtual void softmax_gradient(const Tensor& y, const Tensor& dy, const Tensor& dx) = 0;
};

/// Products of matrices, and the biases beside them.
class ProductKernels {
 public:
  virtual ~ProductKernels() = default;

  enum class Form { plain, transposed };
  /// c = a b, or c += a b, each of a and b as it stands or transposed.
  virtual void multiply(const Tensor& a, Form a_form, const Tensor& b, Form b_form, const Tensor& c,
                        bool accumulate) = 0;
  /// `batch` such products: of a, b and c each the matrices stand one below the other.
  virtual void multiply_batched(int64_t batch, const Tensor& a, Form a_form, const Tensor& b,
                                Form b_form, const Tensor& c, bool accumulate) = 0;
  /// y(row) += bias, bias [1, h]
  virtual void add_bias(const Tensor& bias, const Tensor& y) = 0;
  /// d_bias [1, h] += sum over rows of dy
  virtual void add_rows(const Tensor& dy, const Tensor& d_bias) = 0;
};

/// Normalisation of every row.
class NormKernels {
 public:
  virtual ~NormKernels() = default;

  // --- layer normalisation (Ba, Kiros, Hinton: arXiv 1607.06450) over columns, epsilon 1e-5 ---
  /// y = (x - mean) / deviation * gain + bias; statistics [T, 2] = mean and 1 / deviation
  virtual void layer_norm(const Tensor& x, const Tensor& gain, const Tensor& bias, const Tensor& y,
                          const Tensor& statistics) = 0;
  virtual void layer_norm_input_gradient(const Tensor& x, const Tensor& gain,
                                         const Tensor& statistics, const Tensor& dy,
                                         const Tensor& dx) = 0;
  /// d_gain += ..., d_bias += ...
  virtual void layer_norm_weight_gradient(const Tensor& x, const Tensor& statistics,
                                          const Tensor& dy, const Tensor& d_gain,
                                          const Tensor& d_bias) = 0;

  // --- root mean square normalisation (Zhang, Sennrich: arXiv 1910.07467), epsilon 1e-5 ---
  /// y = x / rms(x) * gain; inverse [T, 1] = 1 / rms
  virtual void rms_norm(const Tensor& x, const Tensor& gain, const Tensor& y,
                        const Tensor& inverse) = 0;
  virtual void rms_norm_input_gradient(const Tensor& x, const Tensor& gain, const Tensor& inverse,
                                       const Tensor& dy, const Tensor& dx) = 0;
  /// d_gain += ...
  virtual void rms_norm_weight_gradient(const Tensor& x, const Tensor& inverse, const Tensor& dy,
                                        const Tensor& d_gain) = 0;
};

/// Attention, and the positions that it sees.
class AttentionKernels {
 public:
  virtual ~AttentionKernels() = default;

  // --- attention, scores never stored (Dao et al.: arXiv 2205.14135) ---
  /// q, y [sequences * tokens, heads * head_dim]; keys, values [sequences * total, kv_heads *
  /// head_dim]; log_sums [sequences * tokens, heads]: of the exponentials of a row's scores.
  virtual void attention(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                         const Tensor& values, const Tensor& y, const Tensor& log_sums) = 0;
  /// dq = ...; d_keys, d_values += ... for all keys that the queries saw
  virtual void attention_gradient(const AttentionShape& shape, const Tensor& q, const Tensor& keys,
                                  const Tensor& values, const Tensor& y, const Tensor& log_sums,
                                  const Tensor& dy, const Tensor& dq, const Tensor& d_keys,
                                  const Tensor& d_values) = 0;

  // --- rotary position embedding (Su et al.: arXiv 2104.09864) ---
  /// x, y [T, heads * head_dim], may be the same. The gradient is the same turn backwards.
  enum class Turn { forward, backward };
  virtual void rotate(const RotaryShape& shape, Turn turn, const Tensor& x, const Tensor& y) = 0;
};

/// Windows over images: x, dx [shape.rows(), channels], contiguous.
class ImageKernels {
 public:
  virtual ~ImageKernels() = default;

  /// patches [out_rows(), patch()]: the numbers of every window, row by row of it, contiguous
  virtual void unfold(const WindowShape& shape, const Tensor& x, const Tensor& patches) = 0;
  /// dx = for every number the sum over the windows that it is in: the adjoint of unfold
  virtual void fold(const WindowShape& shape, const Tensor& patches, const Tensor& dx) = 0;
  /// y [out_rows(), channels]: the largest of every window; padding is not looked at
  virtual void max_pool(const WindowShape& shape, const Tensor& x, const Tensor& y) = 0;
  /// dx = dy at the first of the largest of each window
  virtual void max_pool_gradient(const WindowShape& shape, const Tensor& x, const Tensor& dy,
                                 const Tensor& dx) = 0;
};

/// Tokens, given in host memory, and what goes along them step by step.
class SequenceKernels {
 public:
  virtual ~SequenceKernels() = default;

  // --- one step of an LSTM (Hochreiter, Schmidhuber 1997; with a forget gate, Gers 2000) ---
  /// gates [S, 4 h]: sums for input, forget, cell and output gate, which become
  /// i, f, o = sigmoid, g = tanh; c = f c_before + i g; y = o tanh(c), each [S, h]
  virtual void lstm_cell(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                         const Tensor& y) = 0;
  /// dc: of c from the step after, becomes that of c_before; d_gates: of the sums
  virtual void lstm_cell_gradient(const Tensor& gates, const Tensor& c_before, const Tensor& c,
                                  const Tensor& dy, const Tensor& dc, const Tensor& d_gates) = 0;

  // --- tokens ---
  /// y(row) = table(tokens[row])
  virtual void gather_rows(std::span<const int32_t> tokens, const Tensor& table,
                           const Tensor& y) = 0;
  /// d_table(tokens[row]) += dy(row)
  virtual void scatter_rows(std::span<const int32_t> tokens, const Tensor& dy,
                            const Tensor& d_table) = 0;
  /// loss [1, 1] += scale * sum over rows of -log softmax(logits)(target);
  /// d_logits = scale * (softmax(logits) - one(target)), may be the same tensor as logits
  virtual void cross_entropy(const Tensor& logits, std::span<const int32_t> targets, double scale,
                             const Tensor& d_logits, const Tensor& loss) = 0;
};

/// Steps of optimizers, all tensors of equal shape.
class OptimizerKernels {
 public:
  virtual ~OptimizerKernels() = default;

  /// velocity = momentum * velocity + gradient; weights -= learning_rate * velocity
  virtual void momentum_step(double learning_rate, double momentum, const Tensor& gradient,
                             const Tensor& velocity, const Tensor& weights) = 0;
  /// first and second moments are updated, then the weights (Kingma, Ba: arXiv 1412.6980;
  /// Loshchilov, Hutter: arXiv 1711.05101)
  virtual void adam_step(const AdamStep& step, const Tensor& gradient, const Tensor& first,
                         const Tensor& second, const Tensor& weights) = 0;
  /// to = first / (1 - beta1^step) / (sqrt(second / (1 - beta2^step)) + epsilon)
  virtual void adam_direction(const AdamStep& step, const Tensor& first, const Tensor& second,
                              const Tensor& to) = 0;
};

/// All of them on one device. The bases are virtual so that a backend is put together from a class
/// for each.
class Kernels : public virtual ArrayKernels,
                public virtual ActivationKernels,
                public virtual ProductKernels,
                public virtual NormKernels,
                public virtual AttentionKernels,
                public virtual ImageKernels,
                public virtual SequenceKernels,
                public virtual OptimizerKernels {
 public:
  ~Kernels() override = default;
};

/// Returns kernels on the calling threads' cores: a kernel uses the one it is called on.
std::unique_ptr<Kernels> cpu_kernels();

}  // namespace pipewright::kernels
