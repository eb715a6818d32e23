// The share that one device has of a transformer's micro-batch, and the operations that blocks are
// made of.
//
// Words: b micro-batch, s sequence, h hidden, t tensor degree, c context degree; n = b s / c the
// tokens of a device inside a tensor-parallel region, n / t outside one under sequence parallelism.
#pragma once

#include "workload/operation.hpp"
#include "workload/transformer/transformer_shape.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::transformer {

/// What of a layer is not trained.
enum class Frozen : uint8_t {
  nothing,
  weights,  ///< gradients go through it
  all,      ///< no backward pass comes
};

struct Share {
  const TransformerShape& shape;
  const WorkloadOptions& options;
  DType product;                    ///< of matrix products
  DType dtype;                      ///< of everything else
  double element;                   ///< bytes of one number of `dtype`
  double operand;                   ///< bytes of one matrix operand kept for the backward pass
  int64_t tokens;                   ///< n
  int64_t outer_tokens;             ///< outside tensor-parallel regions
  int64_t outer_parts;              ///< in which the width is cut there: 1 but on a square or cube
  double all_tokens;                ///< b s, for the FLOPs of the whole layer
  Axis tensor_axis = Axis::tensor;  ///< the group that a line of tensor ranks is
  Frozen frozen = Frozen::nothing;
  StoredWeights stored = StoredWeights::as_computed;  ///< weights of products

  bool narrow() const { return product != dtype; }  ///< fp8, nvfp4
  /// The same with products in `dtype` whose weights are stored so: routers and heads stay out of
  /// fp8 and nvfp4.
  Share wide() const;
  /// The same in fp32 where that is what autocast makes of operators outside of products: norms,
  /// and sums with weights or with what is in fp32.
  Share promoted() const;
  int64_t heads() const { return shape.attention.heads / options.tensor; }
  /// Key and value heads of one device: fewer heads than devices are copied.
  int64_t kv_heads() const {
    return std::max<int64_t>(shape.attention.kv_heads / options.tensor, 1);
  }
  /// Bytes of one activation `width` wide for every token, and for every outer token.
  double bytes(int64_t width) const;
  double outer_bytes(int64_t width) const;
};

/// Throws Misfit at `where` for degrees that do not divide the model.
Share make_share(const TransformerShape& shape, const WorkloadOptions& options,
                 const config::Value& where);

/// The cut of a linear layer's weight over the tensor-parallel group.
enum class Split : uint8_t {
  none,    ///< every device holds all of it
  column,  ///< by output; the bias as well
  row,     ///< by input; the outputs are partial sums
};

struct Linear {
  int64_t in = 0, out = 0;  ///< of the whole layer
  Split split = Split::none;
  Part part = Part::other;
  int64_t tokens = 0;          ///< rows of one device
  std::optional<bool> bias{};  ///< whether it adds one; not said: as the model's products do
  /// Products of plain PyTorch that it stands for, each of which casts the input that they share
  /// where that is in fp32. Not said: one, and none that casts of a row-parallel product.
  std::optional<int64_t> readers{};
};

/// Y = X W + bias, and in the backward pass dX = dY W^T and dW += X^T dY.
Operation linear(const Share& share, const Linear& linear);

/// Bytes of a number that a product reads, with its part of the scales.
double operand_bytes(const WorkloadOptions& options);
/// Tells whether the kernel of a norm writes its result as an operand.
bool norm_casts(const Share& share);
/// Returns what makes `numbers` an operand and its transpose: nothing but under fp8 and nvfp4.
std::vector<Work> casts(const Share& share, Direction direction, double numbers);

/// Tells whether the host keeps such an input of every block.
inline bool offloads(const Share& share, OffloadedInput input) {
  return share.options.offloaded.test(static_cast<size_t>(input));
}

void add_kernels(std::vector<Work>& kernels, const std::vector<Work>& more);
/// Returns what makes `numbers` weights what products read, where they are stored otherwise.
std::vector<Work> widened_weights(const Share& share, Direction direction, double numbers);
/// Returns how many of `numbers` weights of a product are stored in a format of their own.
double narrow_weights(const Share& share, double numbers);

/// Returns what makes the transpose of an operand of `numbers`, likewise.
std::vector<Work> transposes(const Share& share, double numbers);
/// Tells whether what enters a column-parallel product, and the gradient of what leaves a
/// row-parallel one, is cut over the tensor group and gathered before it.
bool gathers_operands(const Share& share);
/// Kernels, a collective on their result, and what comes after it.
struct Gathering {
  std::vector<Work> kernels;
  CollectiveWork collective;
  Segments steps;
};
/// Gathers an operand that is `width` wide. `is_cast`: the kernel before has made it one.
Gathering gather_operand(const Share& share, Direction direction, int64_t width, bool is_cast);

/// C[m,n] (+)= A[m,k] B[k,n], `batch` times, of `read` and `written` bytes.
Work gemm(DType dtype, Direction direction, std::array<int64_t, 4> shape, double read,
          double written);

/// A kernel that streams `read` and `written` bytes.
Work stream(const Share& share, Kernel kernel, Direction direction, double read, double written);

/// The kernel of a norm over `numbers` that reads and writes so many bytes, and what plain PyTorch
/// moves beside.
Work norm_pass(const Share& share, Direction direction, double numbers, double read,
               double written);

/// A norm of the residual stream. `joins`: its input feeds a residual branch as well, whose
/// gradient is added to its own.
Operation norm(const Share& share, bool joins);
/// A norm over the outer tokens of something `width` wide.
Operation norm_of(const Share& share, int64_t width);
/// A norm of what goes into a sum, which needs its input for the backward pass, not its output.
Operation norm_of_branch(const Share& share);
/// Adds the gradient of a branch without a norm to that of the residual stream.
Operation joined(const Share& share);

/// The activation function between the products of an MLP `width` wide, over `rows` tokens.
Operation activation(const Share& share, Part part, double rows, int64_t width);

/// Adds to a norm what sums the squares of `norms` rows a token over the tensor group, in fp32,
/// where a row is cut over it.
void sum_squares(const Share& share, Operation& norm, int norms);

/// Adds a branch to the residual stream, after dropout. `keeps`: the sum is a tensor of this layer,
/// not the input of the next.
Operation residual(const Share& share, bool keeps);

/// The conjugate pair around a tensor-parallel region (arXiv 1909.08053; with sequence parallelism
/// 2205.05198): entering it costs a collective in the backward pass, or in both; leaving it in the
/// forward pass, or in both. `width` of what enters; what leaves is as wide as the residual stream.
Operation enter_region(const Share& share, Part part, int64_t width);
Operation leave_region(const Share& share, Part part);

// The layers, each in the file of its name.
Operations attention(const Share& share, int64_t block);  ///< enters its region, leaves it open
Operations lightning(const Share& share);                 ///< likewise
Operations gated_delta(const Share& share);               ///< likewise
Operations state_space(const Share& share);               ///< likewise
Operations selective_scan(const Share& share);            ///< likewise
Operations short_convolution(const Share& share);         ///< likewise
Operations gated_recurrence(const Share& share);          ///< likewise
/// Likewise. The first block makes the values of which later ones take a share.
Operations time_mixing(const Share& share, bool first);
/// What an MLP behind time mixing has beside its products: the share of the token before.
Operation token_shift(const Share& share, int64_t tensors);
/// Likewise. Both read the same input, and their results are added.
Operations attention_beside_state_space(const Share& share, int64_t block);
Operations mlp(const Share& share, int64_t ffn, Part part = Part::mlp);  ///< inside a region
Operations experts(const Share& share);  ///< with the edges of its regions
/// Convolutions over frames of sound, in front of an encoder, and so many fixed positions.
Layer sound_layer(const Share& share, const SoundFront& front, int64_t positions);
/// What looks words up in the embedding, with learned positions where the model has them.
Operations embedded_words(const Share& share, int64_t positions);
/// `source`: of the encoder.
Layer decoder_block(const Share& share, const Share& source, int64_t block,
                    const Recompute& recompute);
/// Sums the residual streams up for a branch, or at the `last` norm; hands a branch's result to all
/// of them; and puts the embedding into all. In streams.cpp.
Operations summed_streams(const Share& share, bool last);
Operation spread_over_streams(const Share& share, bool keeps);
Operation copied_to_streams(const Share& share);
/// What stands in front of a block and behind it where streams alternate, and at the model's ends;
/// and the product of low rank beside a mixer. Nothing where a model has none. In altup.cpp.
Operations predicted_streams(const Share& share);
Operations corrected_streams(const Share& share);
Operations alternating_ends(const Share& share);
Operations laurel(const Share& share);
/// Makes what every block gets of a token's own embeddings, and adds it at a block's end. Nothing
/// where a model has none. In block_inputs.cpp.
Operations block_inputs(const Share& share);
Operations with_block_input(const Share& share);
/// Returns the weighted sum of `tensors` earlier results that a branch reads. In
/// block_residuals.cpp.
Operations attended_residuals(const Share& share, int64_t tensors);
/// Returns the bytes of results of groups that begin before `block`.
double received_residuals(const Share& share, int64_t block);
/// Bytes of all residual streams of the outer tokens.
double stream_bytes(const Share& share);
Layer embedding(const Share& share, int64_t positions);
Layer head(const Share& share);
/// Returns module number `module` of those that predict further tokens, from 1, without its loss.
/// `block`: the operations of the model's last one.
Layer prediction(const Share& share, int64_t module, const Operations& block);
/// Returns the losses of all modules that predict further tokens.
Operations further_losses(const Share& share);
/// Returns the layers in front of a text whose samples have images: patches, blocks and projector
/// of the tower. `text`: of the model behind it; `block`: makes the blocks of a share.
std::vector<Layer> vision_layers(const Share& text, const config::Value& where,
                                 std::vector<Layer> (*blocks)(const Share& tower));
/// Returns V / t, rounded up.
int64_t device_vocabulary(const Share& share);
/// Returns the numbers of the embedding's table on one device.
double table_numbers(const Share& share);
/// Returns logits and their loss, of rows in a region.
Operations loss(const Share& rows);
/// Returns the bytes that the loss holds while it runs, beside what it keeps: the gradient of the
/// table before it is added up, or the logits of one chunk.
double loss_workspace(const Share& rows);

/// The same where the table is cut otherwise than the residual stream: `between` brings what it
/// gives there, or what it needs from there.
Layer embedding(const Share& table, const Share& stream, const Operation& between,
                int64_t positions);
Layer head(const Share& table, const Share& stream, const Operation& between,
           Operations losses = {});

}  // namespace pipewright::transformer
