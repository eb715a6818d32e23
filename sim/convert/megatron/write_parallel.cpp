#include <algorithm>

#include "convert/megatron/writers.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

std::string repeated(char part, int64_t count) {
  return count > 0 ? fmt::format("{}*{}", part, count) : "";
}

std::string layout_of(const Experiment& e) {
  const std::vector<int64_t>& counts = e.partition.counts;
  std::vector<int64_t> predictions = e.partition.predictions;
  if (predictions.empty()) {
    predictions.resize(counts.size());
    predictions.back() = e.model_or_fail().transformer.ends.predicted;
  }
  std::string layout = "E";
  for (size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) layout += '|';
    layout += repeated('t', counts[i]) + repeated('m', predictions[i]);
  }
  return layout + "L";
}

/// Stages that are not alike are a layout.
void write_stages(const Experiment& e, ArgumentLines& out) {
  const int v = e.parallel.virtual_stages;
  const config::Value* schedule = e.document.find("schedule");
  if (const config::Value* group = schedule ? schedule->find("group") : nullptr; group && v > 1)
    out.add("microbatch-group-size-per-virtual-pipeline-stage", group->text);
  if (e.partition.kind != PartitionOptions::Kind::counts) {
    if (v > 1) out.add("num-virtual-stages-per-pipeline-rank", v);
    return;
  }
  if (e.partition.counts.size() > 1)
    out.add("pipeline-model-parallel-layout", "'" + layout_of(e) + "'");
}

/// How many groups of replicas hold all weights.
int copies_of(const Parallel& p) {
  const int replicas = std::max(p.data, 1) * std::max(p.context, 1);
  return p.shard > 0 ? replicas / p.shard : std::max(p.replicate, 1);
}

void write_fsdp(const Parallel& p, ArgumentLines& out) {
  out.add("use-megatron-fsdp");
  out.add("data-parallel-sharding-strategy", p.zero == 2 ? "optim_grads" : "optim_grads_params");
  out.add("ckpt-format", fsdp_checkpoints);
  if (copies_of(p) > 1) out.add("num-distributed-optimizer-instances", copies_of(p));
}

}  // namespace

void write_parallel(const Experiment& e, ArgumentLines& out) {
  static constexpr const char* exchanges[] = {"p2p", "a2a", "all_gather"};
  const Parallel& p = e.parallel;
  out.add("tensor-model-parallel-size", p.tensor);
  out.add("pipeline-model-parallel-size", p.pipeline);
  if (p.context > 1) {
    out.add("context-parallel-size", p.context);
    const int heads = p.context_options.heads;
    out.add("cp-comm-type",
            heads > 1 ? "a2a+p2p" : exchanges[static_cast<size_t>(p.context_options.exchange)]);
    if (heads > 1)
      out.add("hierarchical-context-parallel-sizes",
              fmt::format("{} {}", heads, p.context / heads));
  }
  if (p.sequence && p.tensor > 1) out.add("sequence-parallel");
  if (p.zero > 0 && e.optimizer != Optimizer::muon) out.add("use-distributed-optimizer");
  if (p.zero > 1) write_fsdp(p, out);
  const config::Value* placement = e.document.find("placement");
  if (placement && placement->text == "tp-cp-ep-pp-dp") out.add("use-tp-pp-dp-mapping");
  write_stages(e, out);
}

}  // namespace pipewright::megatron
