#include "convert/megatron/writers.hpp"
#include "plan/buckets.hpp"

namespace pipewright::megatron {
namespace {

/// A bucket of the size that Megatron-LM chooses by itself is not said, since other replicas have
/// another one.
void write_bucket(const Experiment& e, ArgumentLines& out) {
  const int64_t width = e.gradients == DType::fp32 ? 4 : 2;
  const int64_t replicas = int64_t{e.parallel.data} * e.parallel.context;
  if (e.data.bucket && *e.data.bucket != megatron_bucket(replicas, e.gradients))
    out.add("ddp-bucket-size", e.data.bucket->count / width);
}

}  // namespace

void write_overlap(const Experiment& e, ArgumentLines& out) {
  if (e.overlap.data) out.add("overlap-grad-reduce");
  if (e.overlap.weights && e.parallel.zero > 0) out.add("overlap-param-gather");
  write_bucket(e, out);
  if (e.overlap.tensor.kind == TensorOverlap::chunked && e.parallel.tensor > 1)
    out.add("tp-comm-overlap");
  if (e.overlap.expert == ExpertOverlap::pairs && e.parallel.expert > 1)
    out.add("overlap-moe-expert-parallel-comm");
  const bool has_virtual_stages = e.parallel.virtual_stages > 1;
  if (has_virtual_stages && e.overlap.p2p.mode == SendMode::rendezvous)
    out.add("no-overlap-p2p-communication");
}

}  // namespace pipewright::megatron
