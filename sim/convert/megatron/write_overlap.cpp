#include "convert/megatron/writers.hpp"

namespace pipewright::megatron {

void write_overlap(const Experiment& e, ArgumentLines& out) {
  if (e.overlap.data) out.add("overlap-grad-reduce");
  if (e.overlap.weights && e.parallel.zero > 0) out.add("overlap-param-gather");
  const int64_t width = e.gradients == DType::fp32 ? 4 : 2;
  if (e.data.bucket) out.add("ddp-bucket-size", e.data.bucket->count / width);
  if (e.overlap.tensor.kind == TensorOverlap::chunked && e.parallel.tensor > 1)
    out.add("tp-comm-overlap");
  if (e.overlap.expert == ExpertOverlap::pairs && e.parallel.expert > 1)
    out.add("overlap-moe-expert-parallel-comm");
  const bool has_virtual_stages = e.parallel.virtual_stages > 1;
  if (has_virtual_stages && e.overlap.p2p.mode == SendMode::rendezvous)
    out.add("no-overlap-p2p-communication");
}

}  // namespace pipewright::megatron
