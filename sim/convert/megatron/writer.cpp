// The inverse of translation.cpp.
#include "convert/megatron/writer.hpp"

#include <algorithm>
#include <cmath>

#include "config/emit.hpp"
#include "convert/job/hosts.hpp"
#include "convert/megatron/along.hpp"
#include "convert/megatron/arguments.hpp"
#include "convert/megatron/demands.hpp"
#include "convert/megatron/lengths.hpp"
#include "convert/megatron/positions.hpp"
#include "convert/megatron/variables.hpp"
#include "convert/megatron/write_mixers.hpp"
#include "convert/megatron/writers.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

/// Writes what the precision-aware optimizer can keep, without which none is offloaded. Whether
/// that is all is the caller's to find.
void write_formats(const Experiment& e, ArgumentLines& out) {
  const bool is_adam = e.optimizer == Optimizer::adam || e.optimizer == Optimizer::adamw;
  const bool keeps_less = e.master_weights == MasterWeights::remainders;
  if (!is_adam || (!keeps_less && !e.offload.optimizer)) return;
  out.add("use-precision-aware-optimizer");
  if (e.moments != Moments::bf16 && e.moments != Moments::fp8) return;
  for (const char* name : {"exp-avg-dtype", "exp-avg-sq-dtype"})
    out.add(name, e.moments == Moments::bf16 ? "bf16" : "fp8");
}

void write_offloaded(const Experiment& e, ArgumentLines& out) {
  if (e.offload.inputs.none()) return;
  std::string modules;
  for (size_t k = 0; k < std::size(choices::offload_modules); ++k)
    if (e.offload.inputs.test(k))
      modules += (modules.empty() ? "" : " ") + std::string(choices::offload_modules[k]);
  out.add("fine-grained-activation-offloading");
  out.add("offload-modules", modules);
}

/// A loss in place is Transformer Engine's.
void write_loss(const Experiment& e, ArgumentLines& out) {
  if (!e.loss || e.loss->kernel != LossKernel::fused) return;
  out.add("cross-entropy-loss-fusion");
  out.add("cross-entropy-fusion-impl", "te");
}

void write_optimizer(const Experiment& e, ArgumentLines& out) {
  const bool sgd = e.optimizer == Optimizer::sgd || e.optimizer == Optimizer::momentum;
  const bool muon = e.optimizer == Optimizer::muon;
  const char* other = e.parallel.zero > 0 ? "dist_muon" : "muon";
  const bool soap = e.optimizer == Optimizer::soap;
  out.add("optimizer", sgd ? "sgd" : muon ? other : soap ? "soap" : "adam");
  if (sgd) out.add("sgd-momentum", e.optimizer == Optimizer::sgd ? "0.0" : "0.9");
  write_formats(e, out);
  if (e.offload.optimizer) out.add("optimizer-cpu-offload");
  write_offloaded(e, out);
  const config::Value* attention = e.document.find("attention");
  if (attention && attention->text == "unfused") out.add("attention-backend", "unfused");
}

/// The arguments of a job, and lines of comments about them.
struct OwnArguments {
  ArgumentLines lines;
  std::string remarks;
};

/// Which release this is for, and what the learning rates that a user adds have to be counted in.
std::string head(const OwnArguments& own) {
  const ArgumentLines& arguments = own.lines;
  std::string text = "# for Megatron-LM of 2026-08\n" + own.remarks;
  for (const ArgumentLine& line : arguments.lines())
    if (line.name == "train-iters" || line.name == "train-samples") {
      const std::string unit = line.name.substr(line.name.find('-') + 1);
      text += fmt::format("# --{0} goes with --lr-decay-{1} and --lr-warmup-{1} only\n", line.name,
                          unit);
    }
  return text;
}

/// Leaves out what a command line cannot say.
ArgumentLines without_fields(const ArgumentLines& all) {
  ArgumentLines out;
  for (const ArgumentLine& line : all.lines()) {
    const Argument* argument = find_argument(line.name);
    if (!argument || !argument->is_field) out.add(line);
  }
  return out;
}

/// All arguments, with those that only Megatron-LM itself has.
OwnArguments own_arguments(const Experiment& experiment, const config::Value& along) {
  check_demands(experiment, true);
  ArgumentLines arguments = with_mixers(experiment, without_fields(all_arguments(experiment)));
  write_own_constants(experiment, arguments);
  const int64_t global = experiment.batch.global;
  const auto [unit, before, now] = length_of(with_along(arguments, along, global), along);
  config::Value with_rates = along;
  const std::vector<Stretched> stretched = stretch(with_rates, before, now);
  return {with_along(arguments, with_rates, global), stretched_lines(stretched, unit, before, now)};
}

/// A value as MODEL_ARGS have it: true for a flag, "[a b]" for several words.
config::Value model_arg(const ArgumentLine& line) {
  if (line.value.empty()) return config::scalar("true");
  std::string text = line.value;
  std::erase_if(text, [](char c) { return c == '\'' || c == '"'; });
  const Argument* argument = find_argument(line.name);
  const bool is_list = argument && argument->takes == Takes::some;
  return config::scalar(is_list ? '[' + text + ']' : text);
}

std::string_view training_program(const TransformerShape& shape) {
  if (shape.encoder) return "pretrain_bert.py";
  return hybrid_layers(shape).empty() ? "pretrain_gpt.py" : "pretrain_hybrid.py";
}

/// Arguments of the script that stand in those of the program are not handed on.
std::string launch(const Experiment& e, int taken) {
  return fmt::format("{} {} \"${{ARGS[@]}}\" {}\n", job::torchrun(job::hosts_of(e)),
                     training_program(e.model_or_fail().transformer), positions_behind(taken));
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
  const double samples = e.training->tokens / static_cast<double>(sequence_of(e));
  const double steps = samples / static_cast<double>(e.batch.global);
  // Both exclude each other, and so do learning rates that are counted in the other.
  const bool is_whole = steps >= 1 && steps == std::floor(steps);
  out.add(is_whole ? "train-iters" : "train-samples",
          fmt::format("{:.0f}", is_whole ? steps : samples));
}

ArgumentLines all_arguments(const Experiment& experiment) {
  ArgumentLines out;
  write_model(experiment, out);
  write_constants(experiment, out);
  write_parallel(experiment, out);
  write_batch(experiment, out);
  write_precision(experiment, out);
  write_optimizer(experiment, out);
  write_loss(experiment, out);
  write_recompute(experiment, out);
  write_launches(experiment, out);
  write_overlap(experiment, out);
  return out;
}

std::string write_script(const Experiment& experiment, const config::Value& along) {
  const OwnArguments own = own_arguments(experiment, along);
  const std::string body =
      variable_lines(variables_of(experiment, along)) + "ARGS=(\n" + own.lines.text() + ")\n\n";
  const int taken = last_position(body);
  return "#!/bin/bash\n" + head(own) + positions_remark(taken) + body + launch(experiment, taken);
}

std::string write_model_args(const Experiment& experiment, const config::Value& along) {
  const OwnArguments own = own_arguments(experiment, along);
  config::Value document;
  config::Value variables = variables_of(experiment, along);
  std::erase_if(variables.entries,
                [](const config::Entry& entry) { return entry.value.is_null(); });
  if (!variables.entries.empty()) document.set("ENV_VARS", std::move(variables));
  config::Value& map = document.set("MODEL_ARGS", {});
  for (const ArgumentLine& line : own.lines.lines()) map.set("--" + line.name, model_arg(line));
  return head(own) + config::to_yaml(document);
}

}  // namespace pipewright::megatron
