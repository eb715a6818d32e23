// Kernels of plain PyTorch, which runs each operator by itself (`kernels: eager`), and nanotron's.
//
// Every operator reads its operands from memory and writes its result there. Bytes a number, e
// being those of an activation (2 in 16 bits), in all and beside the fused kernel's:
//   RMS norm     cast, square, mean, scale, cast, weight: 4e + 28; fused 2e
//                its gradient through each of these, where a square's is twice a power: 8e + 76;
//                fused 3e
//                in fp32 without the casts: 28, and 92. The gradient of its weight is 4e of them
//   layer norm   one kernel; but its weights' gradients read both operands again: 2e more
//   gelu_new     of transformers: power, twice a product with a number, sum, tanh, one more, half,
//                product: 18e; fused 2e. Its gradient: of the product, half and tanh 11e, of
//                products with numbers 4e, of the power 7e, sums of three gradients 6e: 28e; fused
//                3e. It keeps its input, half of that, the tanh and one more: 3e more
//                under autocast the power is in fp32, and what it meets with it, w a number: 5e +
//                15w, 12e + 22w, and 3w more kept
//   gated MLP    activation 2e, product 3e; fused 3e
//                gradients of the product 6e, of the activation 3e; fused 5e
//   rotation     torchtitan: cast, complex product, cast, in fp32: 2e + 16; fused 2e; its gradient
//                as much. Hugging Face: products with cosines and sines, halves negated and joined,
//                a sum: 10e; its gradient with zeros that halves are copied into, laid out for
//                products: 17e
//   dropout      by itself before the residual sum: 2e more
//   softmax      reads rows of more than 1024 twice, in the gradient both of its operands
//   projections  gradients of queries, keys and values are joined, or their inputs' added: 2e more
// Numbers that are read one by one, in strides, from a row for all, or to be widened
// (roofline.cpp): of an RMS norm the cast to fp32, its scale and its weight, and as many and a
// quotient in the gradient; of torchtitan's rotation the cast; of Hugging Face's all kernels, 4.5
// and 5.5 numbers. Scaling and masking of scores are kernels of their own (unfused.cpp), gradients
// of sharded weights are copied (shards.cpp). Kept longer: the result of a gated MLP's activation,
// which the product needs, e; the numbers of an RMS norm in fp32 and its result before the weight,
// 4 + e, or 4 where its weight is frozen.
//
// nanotron has Triton's RMS norm and FlashAttention's rotation in place, both fused, and:
//   gate         as above; the two gradients are joined, 4e more
//   projections  queries, keys and values are laid out by sequence, 2e; keys and values joined and
//                laid out again, 4e of those. Gradients of keys and values joined, 2e of those, of
//                all three joined, 2e, and, where there are as many key heads as query heads, laid
//                out by token again, 2e. There queries are a part of one tensor with keys and
//                values and keep it, beside the keys and values that attention reads
//   outputs      with several sequences in a micro-batch, laid out by token, 2e, and kept; their
//                gradients laid out by sequence, 2e
//   gradients    of weights in 16 bits are written, then added to those in fp32 (shards.cpp)
//   scattered    what a row-parallel product makes is given up once it is reduced and scattered.
//                PyTorch's allocator reuses it only when the stream of NCCL has come so far
//                (recordStream), and the host is ahead of that by a forward pass. It is held while
//                there is room
// Source: huggingface/nanotron 67c5ebb6, src/nanotron/models/llama.py, nn/layer_norm.py,
// optim/gradient_accumulator.py; PyTorch 2.1,
// c10/cuda/CUDACachingAllocator.cpp, ProcessGroupNCCL.cpp; flash_attn/ops/triton/layer_norm.py,
// layers/rotary.py.
//
// Source: PyTorch 2.5, torch/csrc/autograd/FunctionsManual.cpp (pow_backward),
// aten/src/ATen/native (layer_norm.cpp: rms_norm is composite;
// cuda/SoftMax.cu, PersistentSoftmax.cuh: a warp has rows up to 1024),
// torch/distributed/fsdp/_runtime_utils.py; the Llamas of torchtitan and Hugging Face. Biases are
// in products' epilogues (addmm). Left out: operands that a kernel finds in cache. Wrong for:
// torch.compile, XLA, and Apex's, Liger's or xFormers' kernels
// (`kernels: fused`).
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {
namespace {

double bytes_each(const Share& share, double eager, double fused) {
  return share.options.kernels.operators == Operators::fused ? 0 : eager - fused;
}

bool is_plain(const Share& share) { return share.options.kernels.operators == Operators::eager; }
bool is_nanotron(const Share& share) {
  return share.options.kernels.operators == Operators::nanotron;
}

/// Tells whether the numbers are in fp32, to which nothing is cast.
bool is_wide(const Share& share) { return share.dtype == DType::fp32; }

bool trains(const Share& share) {
  return share.options.adapter_rank == 0 && share.frozen == Frozen::nothing;
}

/// The activation is transformers' gelu_new, operator by operator.
bool has_gelu_of_operators(const Share& share) {
  return is_plain(share) && share.shape.activation == Activation::gelu_new;
}

}  // namespace

double eager_norm(const Share& share, Direction direction, double numbers) {
  if (!is_plain(share)) return 0;
  const double e = share.element;
  const bool forward = direction == Direction::forward;
  if (share.shape.norm == Norm::layernorm)
    return numbers * bytes_each(share, forward ? 2 * e : 5 * e, forward ? 2 * e : 3 * e);
  if (forward) return numbers * bytes_each(share, is_wide(share) ? 28 : 4 * e + 28, 2 * e);
  const double of_weight = trains(share) ? 0 : 4 * e;
  return numbers * bytes_each(share, (is_wide(share) ? 92 : 8 * e + 76) - of_weight, 3 * e);
}

double eager_norm_singles(const Share& share, Direction direction, double numbers) {
  if (!is_plain(share) || share.shape.norm == Norm::layernorm) return 0;
  const double casts = is_wide(share) ? 0 : 1;
  return numbers * ((direction == Direction::forward ? 2 : 3) + casts);
}

double eager_norm_kept(const Share& share, double numbers) {
  const bool composite = is_plain(share) && share.shape.norm != Norm::layernorm;
  if (!composite) return 0;
  return numbers * ((is_wide(share) ? 0 : 4) + (trains(share) ? share.element : 0));
}

double eager_gate(const Share& share, Direction direction, double numbers) {
  const double e = share.element, joined = is_nanotron(share) ? 4 * e : 0;
  return numbers * (direction == Direction::forward ? bytes_each(share, 5 * e, 3 * e)
                                                    : bytes_each(share, 9 * e + joined, 5 * e));
}

double eager_gate_kept(const Share& share, double numbers) {
  return numbers * bytes_each(share, share.element, 0);
}

double eager_gelu(const Share& share, Direction direction, double numbers) {
  if (!has_gelu_of_operators(share)) return 0;
  const double e = share.element, w = 4;
  const bool forward = direction == Direction::forward, casts = share.options.autocast;
  if (forward) return numbers * ((casts ? 5 * e + 15 * w : 18 * e) - 2 * e);
  return numbers * ((casts ? 12 * e + 22 * w : 28 * e) - 3 * e);
}

double eager_gelu_singles(const Share& share, Direction direction, double numbers) {
  if (!has_gelu_of_operators(share) || !share.options.autocast) return 0;
  return numbers * (direction == Direction::forward ? 3 : 1);
}

double eager_gelu_kept(const Share& share, double numbers) {
  if (!has_gelu_of_operators(share)) return 0;
  return 3 * numbers * (share.options.autocast ? 4 : share.element);
}

double eager_rotation(const Share& share, Direction direction, double numbers) {
  if (!is_plain(share)) return 0;
  const double e = share.element, w = 4;
  if (share.options.kernels.complex_rotation) return numbers * bytes_each(share, 2 * e + 16, 2 * e);
  const bool forward = direction == Direction::forward;
  if (share.options.autocast)
    return numbers * bytes_each(share, forward ? 6 * e + 6 * w : 16 * e + 7 * w, 2 * e);
  return numbers * bytes_each(share, (forward ? 10 : 17) * e, 2 * e);
}

double eager_rotation_singles(const Share& share, Direction direction, double numbers) {
  if (!is_plain(share)) return 0;
  if (share.options.kernels.complex_rotation) return numbers;
  const double casts = share.options.autocast ? 1 : 0;
  return numbers * (direction == Direction::forward ? 4.5 : 5.5 + casts);
}

double eager_dropout(const Share& share, double numbers) {
  return share.shape.dropout ? numbers * bytes_each(share, 2 * share.element, 0) : 0;
}

bool rereads_rows(int64_t numbers) {
  constexpr int64_t longest_of_a_warp = 1024;
  return numbers > longest_of_a_warp;
}

double eager_softmax(const Share& share, Direction direction, int64_t keys, double numbers) {
  const int operands = direction == Direction::forward ? 1 : 2;
  return rereads_rows(keys) ? numbers * bytes_each(share, operands * share.element, 0) : 0;
}

double eager_projections(const Share& share, double numbers) {
  return numbers * bytes_each(share, 2 * share.element, 0);
}

double eager_layouts(const Share& share, Direction direction, const HeadNumbers& numbers) {
  if (!is_nanotron(share)) return 0;
  const double e = share.element, all = numbers.queries + numbers.keys_and_values;
  if (direction == Direction::forward) return 2 * e * all + 4 * e * numbers.keys_and_values;
  const bool as_many = share.shape.attention.kv_heads == share.shape.attention.heads;
  return 2 * e * numbers.keys_and_values + (as_many ? 2 * e * all : 0);
}

double eager_layouts_kept(const Share& share, const HeadNumbers& numbers) {
  const bool as_many = share.shape.attention.kv_heads == share.shape.attention.heads;
  return is_nanotron(share) && as_many ? share.element * numbers.keys_and_values : 0;
}

double eager_scattered_kept(const Share& share, double numbers) {
  return is_nanotron(share) ? share.element * numbers : 0;
}

double eager_outputs(const Share& share, double numbers) {
  return is_nanotron(share) && share.options.micro_batch > 1 ? 2 * share.element * numbers : 0;
}

}  // namespace pipewright::transformer
