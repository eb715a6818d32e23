#include "convert/megatron/writers.hpp"

namespace pipewright::megatron {
namespace {

/// What validate_args (megatron/training/arguments.py) asserts of messages beside the computation.
void check(const Experiment& e) {
  const bool gathers = e.overlap.weights && e.parallel.zero > 0;
  if (gathers && !e.overlap.data)
    e.misfit(
        "overlap",
        "Megatron-LM gathers weights beside the forward pass only where gradients go beside the "
        "backward pass: overlap.data must be true");
  const bool splits = e.overlap.tensor.kind == TensorOverlap::chunked && e.parallel.tensor > 1;
  if (splits && !e.parallel.sequence)
    e.misfit(
        "overlap",
        "Megatron-LM splits products only with sequence parallelism: parallel.sequence must be "
        "true");
}

}  // namespace

void write_overlap(const Experiment& e, ArgumentLines& out) {
  check(e);
  if (e.overlap.data) out.add("overlap-grad-reduce");
  if (e.overlap.weights && e.parallel.zero > 0) out.add("overlap-param-gather");
  const int64_t width = e.gradients == DType::fp32 ? 4 : 2;
  if (e.data.bucket) out.add("ddp-bucket-size", e.data.bucket->count / width);
  if (e.overlap.tensor.kind == TensorOverlap::chunked) out.add("tp-comm-overlap");
  if (e.overlap.expert == ExpertOverlap::pairs) out.add("overlap-moe-expert-parallel-comm");
  const bool has_virtual_stages = e.parallel.virtual_stages > 1;
  if (has_virtual_stages && e.overlap.p2p.mode == SendMode::rendezvous)
    out.add("no-overlap-p2p-communication");
}

}  // namespace pipewright::megatron
