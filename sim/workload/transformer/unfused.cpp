// Attention whose scores are written: b a matrices of s x s' numbers, whatever the mask.
//
// Two products forward, four backward; between them kernels that pass over all scores. It keeps the
// softmax's output, the dropout mask and, where there is dropout, its output: 5 a s^2 b bytes in 16
// bits (arXiv 2205.05198). Who scales and masks, and in what the softmax computes:
//   fused     one softmax does it all. An encoder's padding is added by a kernel of its own, as
//             scaling is (NVIDIA/DeepLearningExamples and Hugging Face, modeling.py)
//   Megatron  the same where it has the kernel: score matrices by fours, at most 4096 keys. Else
//             PyTorch's operators do it in fp32: cast, scale, mask, softmax, cast; 4 B a score are
//             kept (megatron/model/fused_softmax.py: is_kernel_available, forward_torch_softmax;
//             softmax in fp32 as with query-key layer scaling, the default of 2021 to 2023)
//   eager     PyTorch's operators do it in the activations' precision: scale, mask, softmax
//   autocast  the softmax itself is in fp32, between casts
// PyTorch's own softmax multiplies its result and its gradient by a kernel before the one that
// makes the scores' gradients (softmax_backward_cuda_out of aten/src/ATen/native/cuda/SoftMax.cu).
// Seen so on an H100 (calibrate/profiles/h100-sxm.torch.csv: 525 us each for 2.7e8 scores). Left
// out: Megatron has that softmax in 16 bits alone; in fp32 it is taken to have it.
#include "workload/transformer/core.hpp"
#include "workload/transformer/eager.hpp"

namespace pipewright::transformer {
namespace {

/// Products over the scores: [queries, keys] with a head's width as depth, or that as columns.
struct Scores {
  const Share& share;
  int64_t batch, queries, keys;
  double count;  ///< of all scores
  double bytes;

  Work made(Direction direction, int64_t depth) const {  // Q K^T, dO V^T
    const double operands = vectors(queries, depth) + vectors(keys, depth);
    return gemm(share.dtype, direction, {batch, queries, keys, depth}, operands, bytes);
  }
  Work used(Direction direction, int64_t columns) const {  // P V, dS K
    return gemm(share.dtype, direction, {batch, queries, columns, keys},
                bytes + vectors(keys, columns), vectors(queries, columns));
  }
  Work transposed(Direction direction, int64_t columns) const {  // P^T dO, dS^T Q
    return gemm(share.dtype, direction, {batch, keys, columns, queries},
                bytes + vectors(queries, columns), vectors(keys, columns));
  }
  double vectors(int64_t rows, int64_t width) const {
    return as_double(batch) * as_double(rows) * as_double(width) * share.element;
  }
  /// A kernel that reads and writes so many bytes a score.
  Work pass(Direction direction, double read, double written) const {
    return stream(share, Kernel::elementwise, direction, read * count, written * count);
  }
};

Scores scores_of(const Share& share, const Core& core) {
  const WorkloadOptions& options = share.options;
  const int64_t c = options.context;
  const bool heads = exchanges_heads(share);
  const int64_t batch = options.micro_batch * (heads ? core.heads / c : core.heads);
  const int64_t queries = heads ? options.sequence : options.sequence / c;
  const int64_t keys = keys_of(share, core);
  const double count = as_double(batch) * as_double(queries) * as_double(keys);
  return {share, batch, queries, keys, count, count * share.element};
}

/// From scores to probabilities, forward and backward, and the bytes a score that are kept of it.
struct Softmax {
  std::vector<Work> forward, backward;
  double kept;
};

/// Tells whether Megatron-LM lacks its softmax for these scores.
bool lacks_megatron_softmax(const Scores& scores) {
  constexpr int64_t matrices_at_once = 4, most_keys = 4096;
  return scores.share.options.kernels.softmax == ScoreSoftmax::megatron &&
         scores.share.element == 2 &&
         (scores.batch % matrices_at_once != 0 || scores.keys > most_keys);
}

/// Megatron-LM's without its kernel. Dropout does not keep what it reads, a product does.
Softmax operators_in_fp32(const Scores& scores) {
  constexpr double wide = 4, narrow = 2;
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  const double again = rereads_rows(scores.keys) ? wide : 0;
  const Work scaled = scores.pass(forward, wide, wide), masked = scaled;
  const Work scaled_back = scores.pass(backward, wide, wide), masked_back = scaled_back;
  return {.forward = {scores.pass(forward, narrow, wide), scaled, masked,
                      scores.pass(forward, wide + again, wide), scores.pass(forward, wide, narrow)},
          .backward = {scores.pass(backward, narrow, wide), scores.pass(backward, 2 * wide, wide),
                       scores.pass(backward, 2 * (wide + again), wide), masked_back, scaled_back,
                       scores.pass(backward, wide, narrow)},
          .kept = scores.share.shape.dropout ? wide : wide + narrow};
}

/// One kernel, which reads long rows twice.
Softmax plain_softmax(const Scores& scores) {
  const double e = scores.share.element;
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  const auto again = [&](Direction direction) {
    return eager_softmax(scores.share, direction, scores.keys, 1);
  };
  return {.forward = {scores.pass(forward, e + again(forward), e)},
          .backward = {scores.pass(backward, 2 * e + again(backward), e)},
          .kept = e};
}

/// Autocast's, in fp32, with casts of scores and probabilities. It keeps its result in both.
Softmax cast_softmax(const Scores& scores) {
  constexpr double wide = 4;
  const double narrow = scores.share.element;
  const double again = rereads_rows(scores.keys) ? wide : 0;
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  return {.forward = {scores.pass(forward, narrow, wide), scores.pass(forward, wide + again, wide),
                      scores.pass(forward, wide, narrow)},
          .backward = {scores.pass(backward, narrow, wide),
                       scores.pass(backward, 2 * (wide + again), wide),
                       scores.pass(backward, wide, narrow)},
          .kept = wide + narrow};
}

Softmax softmax_of(const Scores& scores) {
  const Share& share = scores.share;
  if (lacks_megatron_softmax(scores) && !share.shape.encoder &&
      share.options.kernels.operators == Operators::fused)
    return operators_in_fp32(scores);
  const double e = share.element;
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  Softmax softmax = share.options.autocast ? cast_softmax(scores) : plain_softmax(scores);
  const bool fuses_mask =
      !share.shape.encoder && share.options.kernels.operators == Operators::fused;
  if (fuses_mask) return softmax;
  softmax.backward.insert(softmax.backward.begin(), scores.pass(backward, 2 * e, e));
  softmax.forward.insert(softmax.forward.begin(), 2, scores.pass(forward, e, e));
  // What is added needs no pass backward, what is filled in does.
  const size_t passes = share.shape.encoder ? 1 : 2;
  softmax.backward.insert(softmax.backward.end(), passes, scores.pass(backward, e, e));
  return softmax;
}

}  // namespace

Operation unfused_core(const Share& share, const Core& core) {
  const Scores scores = scores_of(share, core);
  const bool dropout = share.shape.dropout, caps = share.shape.attention.soft_cap;
  const auto forward = Direction::forward, backward = Direction::input_gradient;
  const double e = share.element;
  const Softmax softmax = softmax_of(scores);
  Operation operation{.part = Part::attention};
  operation.forward = {scores.made(forward, core.query)};
  operation.forward.insert(operation.forward.end(), softmax.forward.begin(), softmax.forward.end());
  if (caps) operation.forward.push_back(scores.pass(forward, e, e));
  if (dropout) operation.forward.push_back(scores.pass(forward, e, e + 1));
  operation.forward.push_back(scores.used(forward, core.value));
  operation.input_gradient = {scores.transposed(backward, core.value),
                              scores.made(backward, core.value)};
  if (dropout) operation.input_gradient.push_back(scores.pass(backward, e + 1, e));
  operation.input_gradient.insert(operation.input_gradient.end(), softmax.backward.begin(),
                                  softmax.backward.end());
  if (caps) operation.input_gradient.push_back(scores.pass(backward, 2 * e, e));
  operation.input_gradient.push_back(scores.used(backward, core.query));
  operation.input_gradient.push_back(scores.transposed(backward, core.query));
  operation.saved = scores.count * (softmax.kept + (dropout ? e + 1 : 0) + (caps ? e : 0));
  operation.model_flops = core_model_flops(share, core);
  return operation;
}

}  // namespace pipewright::transformer
