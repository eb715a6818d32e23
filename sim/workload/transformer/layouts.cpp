// Copies that frameworks make because of where they lay numbers.
//
// Tokens of tensor ranks under sequence parallelism: NCCL gathers and scatters along the first
// dimension of a tensor. Megatron-LM and nanotron have tokens there. DTensor cuts [sequences,
// tokens, width] by tokens: what is gathered lies rank by rank and is joined along the second
// dimension (torch.cat of torch.chunk), and what is to be scattered is put rank by rank first. Each
// reads and writes the gathered tensor once more, G bytes each way, for a collective of G bytes.
// Source: PyTorch 2.5 to 2.8, torch/distributed/_functional_collectives.py, all_gather_tensor and
// reduce_scatter_tensor; torchtitan's parallelize_llama.py (Shard(1) everywhere).
// One sequence needs no copy: PyTorch has views for it since 2.9. Left out: that releases before
// copied there too. Chunks that overlap with products are laid out as they come (symmetric memory).
//
// Activations of JAX's blocks: MaxText and Paxml scan over them, so that all blocks are one loop.
// What a block keeps goes into a stack with a place for each, by a kernel that updates a slice:
// libraries write their results elsewhere, as XLA leaves xla_gpu_enable_dynamic_slice_fusion off
// (xla/debug_options_flags.cc). It reads and writes what is kept once. Left out: slices that
// libraries read in the backward pass, most of which elementwise kernels read in place; slices of
// the weights; copies of what a loop gathers ahead without unrolling.
#include "workload/transformer/layouts.hpp"

namespace pipewright::transformer {
namespace {

bool copies(const Share& share) {
  return share.options.kernels.sequences_first && share.options.micro_batch > 1;
}

Work copied(const Share& share, Direction direction, double bytes) {
  return stream(share, Kernel::memcpy, direction, bytes, bytes);
}

}  // namespace

void stack_kept(const Share& share, Layer& block) {
  if (!share.options.kernels.stacks_kept) return;
  const auto kept = static_cast<double>(block.stash.count);
  block.forward.push_back({.kernels = {copied(share, Direction::forward, kept)}});
}

void lay_out_gathered(const Share& share, Direction direction, int64_t width,
                      Operation& operation) {
  if (!copies(share)) return;
  const double operand = share.bytes(width) / share.element * share.operand;
  Segments& steps =
      direction == Direction::forward ? operation.forward_steps : operation.input_gradient_steps;
  steps.push_back({.kernels = {copied(share, direction, operand)}});
}

void lay_out_scattered(const Share& share, Direction direction, int64_t width,
                       Operation& operation) {
  if (!copies(share)) return;
  std::vector<Work>& kernels =
      direction == Direction::forward ? operation.forward : operation.input_gradient;
  kernels.push_back(copied(share, direction, share.bytes(width)));
}

}  // namespace pipewright::transformer
