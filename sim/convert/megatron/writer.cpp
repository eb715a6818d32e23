// The inverse of translation.cpp.
#include "convert/megatron/writer.hpp"

#include <algorithm>
#include <numeric>

#include "convert/megatron/writers.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

/// Writes what the precision-aware optimizer can keep. Whether that is all is the caller's to find.
void write_formats(const Experiment& e, ArgumentLines& out) {
  if (e.master_weights != MasterWeights::remainders) return;
  out.add("use-precision-aware-optimizer");
  if (e.moments != Moments::bf16 && e.moments != Moments::fp8) return;
  for (const char* name : {"exp-avg-dtype", "exp-avg-sq-dtype"})
    out.add(name, e.moments == Moments::bf16 ? "bf16" : "fp8");
}

void write_optimizer(const Experiment& e, ArgumentLines& out) {
  const bool sgd = e.optimizer == Optimizer::sgd || e.optimizer == Optimizer::momentum;
  const bool muon = e.optimizer == Optimizer::muon;
  const char* other = e.parallel.zero > 0 ? "dist_muon" : "muon";
  out.add("optimizer", sgd ? "sgd" : muon ? other : "adam");
  if (sgd) out.add("sgd-momentum", e.optimizer == Optimizer::sgd ? "0.0" : "0.9");
  write_formats(e, out);
  if (e.offload.optimizer) out.add("optimizer-cpu-offload");
  const config::Value* attention = e.document.find("attention");
  if (attention && attention->text == "unfused") out.add("attention-backend", "unfused");
}

std::string launch(const Experiment& e) {
  const Parallel& p = e.parallel;
  const int64_t devices = int64_t{p.tensor} * p.pipeline * p.context * std::max(p.data, 1);
  const int64_t per_node = std::gcd(devices, int64_t{8});
  const bool is_encoder = e.model_or_fail().transformer.encoder;
  return fmt::format("torchrun --nnodes {} --nproc-per-node {} {} \"${{ARGS[@]}}\" \"$@\"\n",
                     devices / per_node, per_node,
                     is_encoder ? "pretrain_bert.py" : "pretrain_gpt.py");
}

}  // namespace

int64_t sequence_of(const Experiment& e) {
  return e.batch.sequence > 0 ? e.batch.sequence : e.model_or_fail().sequence.value_or(0);
}

void write_batch(const Experiment& e, ArgumentLines& out) {
  out.add("micro-batch-size", e.batch.micro);
  out.add("global-batch-size", e.batch.global);
  out.add("seq-length", sequence_of(e));
  if (!e.training) return;
  out.add("train-samples",
          fmt::format("{:.0f}", e.training->tokens / static_cast<double>(sequence_of(e))));
}

ArgumentLines all_arguments(const Experiment& experiment) {
  ArgumentLines out;
  write_model(experiment, out);
  write_constants(experiment, out);
  write_parallel(experiment, out);
  write_batch(experiment, out);
  write_precision(experiment, out);
  write_optimizer(experiment, out);
  write_recompute(experiment, out);
  write_overlap(experiment, out);
  return out;
}

std::string write_script(const Experiment& experiment) {
  ArgumentLines arguments = all_arguments(experiment);
  write_own_constants(experiment, arguments);
  return "#!/bin/bash\nARGS=(\n" + arguments.text() + ")\n\n" + launch(experiment);
}

}  // namespace pipewright::megatron
