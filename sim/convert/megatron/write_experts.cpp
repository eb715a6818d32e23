#include "convert/megatron/writers.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

void write_router(const Experts& experts, ArgumentLines& out) {
  out.add("moe-router-topk", experts.active);
  out.add("moe-ffn-hidden-size", experts.ffn);
  if (experts.shared > 0)
    out.add("moe-shared-expert-intermediate-size", experts.shared * experts.ffn);
  if (experts.groups > 1) {
    out.add("moe-router-num-groups", experts.groups);
    out.add("moe-router-group-topk", experts.active_groups);
  }
  if (experts.capacity > 0) out.add("moe-expert-capacity-factor", experts.capacity);
}

}  // namespace

void write_experts(const Experiment& e, ArgumentLines& out) {
  const TransformerShape& shape = e.model_or_fail().transformer;
  if (!shape.experts) return;
  const Experts& experts = *shape.experts;
  out.add("num-experts", experts.count);
  write_router(experts, out);
  if (experts.dense > 0)
    out.add("moe-layer-freq",
            fmt::format("'([0]*{}+[1]*{})'", experts.dense, shape.layers - experts.dense));
  else if (experts.every > 1)
    out.add("moe-layer-freq", experts.every);
  if (e.parallel.expert == 1) return;
  out.add("expert-model-parallel-size", e.parallel.expert);
  out.add("expert-tensor-parallel-size", 1);
  const bool once = !e.dispatch.each_copy;
  out.add("moe-token-dispatcher-type", once ? "flex" : "alltoall");
  if (once) out.add("moe-enable-deepep");
}

}  // namespace pipewright::megatron
