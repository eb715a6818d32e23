// Copies of sharded weights and of gradients (ZeRO 3, FSDP, nanotron). With W weights in a layer, e
// bytes each, g in a gradient:
//   gradients  are joined in a flat buffer and divided by the number of replicas in the type they
//              are reduced in: (2 e + 2 g) W bytes a micro-batch, under FSDP, compiled or not
//              nanotron's products write gradients in the weights' type, and a kernel adds them to
//              those in fp32: 2 e W bytes beside a product that adds them itself
//   weights    FSDP2 gathers a layer's into a buffer, rank by rank, and copies them out before its
//              forward and again before its backward: 2 e W bytes
//              early DeepSpeed gathered them one by one, waited and copied them into place, before
//              a layer's forward and again before its backward: e W / r, r = 27 GB/s
//              where they are gathered in 8 bits (ZeRO++), a kernel makes them what they were, as
//              often: (1 + e) W bytes
//   gradients  that are reduced in 4 bits (ZeRO++) are made so and read again where they are added
//              up within a node: (g + 1) W bytes. The same between nodes is of few of them and left
//              out
// r: 5.1 billion weights, forward on 8 A100 over NVLink, took 480 ms in place of 60 with whole
// weights (github.com/deepspeedai/DeepSpeed/issues/1174, June 2021); our gathering takes 40 of
// them. PyTorch's first FSDP gathers into place (torch/distributed/fsdp/_runtime_utils.py, for
// both); the second: torch/distributed/_composable/fsdp/_fsdp_collectives.py,
// foreach_all_gather_copy_out. Left out: early DeepSpeed's host on small layers.
#include "workload/transformer/shards.hpp"

#include "workload/transformer/adapters.hpp"

namespace pipewright::transformer {
namespace {

constexpr double gathered_per_s = 27e9;

double weights_of(const Operations& operations) {
  double weights = 0;
  for (const Operation& operation : operations) weights += operation.device_parameters;
  return weights;
}

double trained_of(const Operations& operations) {
  double trained = 0;
  for (const Operation& operation : operations)
    trained += operation.trained.value_or(operation.device_parameters);
  return trained;
}

bool adds_apart(const Share& share) {
  return share.options.kernels.operators == Operators::nanotron &&
         element_bytes(share.options.gradients) > share.element;
}

Work copied(const Share& share, double weights) {
  return {.kernel = Kernel::fixed, .fixed = seconds(weights * share.element / gathered_per_s)};
}

Work split(const Share& share, double weights) {
  const double bytes = weights * share.element;
  return stream(share, Kernel::memcpy, Direction::forward, bytes, bytes);
}

void add_widening(const Share& share, double weights, const Recompute& recompute,
                  Operation& shards) {
  const Work widen =
      stream(share, Kernel::elementwise, Direction::forward, weights, weights * share.element);
  shards.forward.push_back(widen);
  if (!recompute.block) shards.input_gradient.push_back(widen);
}

void add_narrowing(const Share& share, double trained, Operation& shards) {
  const double whole = trained * element_bytes(share.options.gradients), narrow = trained / 2;
  shards.weight_gradient.push_back(
      stream(share, Kernel::elementwise, Direction::weight_gradient, whole, narrow));
  shards.weight_gradient.push_back(
      stream(share, Kernel::elementwise, Direction::weight_gradient, narrow, 0));
}

}  // namespace

Operations with_shards(const Share& share, Operations operations, const Recompute& recompute) {
  if (share.options.adapter_rank > 0 || share.frozen != Frozen::nothing) freeze(share, operations);
  const double weights = weights_of(operations), trained = trained_of(operations);
  Operation shards;
  if (share.options.sharded.sums_gradients) {
    const double bytes = trained * (share.element + element_bytes(share.options.gradients));
    shards.weight_gradient = {
        stream(share, Kernel::elementwise, Direction::weight_gradient, bytes, bytes)};
  }
  if (adds_apart(share)) {
    const double bytes = trained * share.element;
    shards.weight_gradient.push_back(
        stream(share, Kernel::elementwise, Direction::weight_gradient, bytes, bytes));
  }
  const bool splits = share.options.sharded.splits_weights;
  if (splits || share.options.sharded.copies_weights) {
    shards.forward = {splits ? split(share, weights) : copied(share, weights)};
    if (!recompute.block) shards.input_gradient = shards.forward;
  }
  if (share.options.sharded.widens_weights) add_widening(share, weights, recompute, shards);
  if (share.options.sharded.narrows_gradients) add_narrowing(share, trained, shards);
  operations.insert(operations.begin(), std::move(shards));
  return operations;
}

}  // namespace pipewright::transformer
