// The inverse of job_file.cpp.
#include "convert/torchtitan/writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/job/carried.hpp"
#include "convert/job/toml_text.hpp"
#include "convert/torchtitan/along.hpp"
#include "convert/torchtitan/flavors.hpp"
#include "convert/torchtitan/modules.hpp"
#include "convert/torchtitan/pipeline.hpp"
#include "experiment/hardware.hpp"
#include "workload/model/model.hpp"

namespace pipewright::torchtitan {
namespace {

using config::Value;

/// The keys of a file, section by section. A key of fewer releases than those of `release` is
/// written where it says something: they refuse keys that they do not know.
class Sections {
 public:
  void begin(std::string_view section) {
    section_ = section;
    if (!job::value_at(document_, section)) {
      Value map;
      map.kind = Value::Kind::map;
      job::set_at(document_, section, map);
    }
  }
  void word(std::string_view key, std::string_view value) {
    Value text = config::scalar(value);
    text.quoted = true;
    set(key, text);
  }
  void number(std::string_view key, int64_t value) { set(key, config::number(value)); }
  void truth(std::string_view key, bool value) { set(key, job::truth(value)); }
  /// Adds a value that is written as TOML has it.
  void raw(std::string_view key, std::string_view value) { set(key, config::scalar(value)); }
  /// Adds a value that goes along.
  void set(std::string_view key, const Value& value) {
    job::set_at(document_, fmt::format("{}.{}", section_, key), value);
  }
  Value with(const Value& along) const {
    Value whole = document_;
    job::lay_under(whole, along);
    return whole;
  }

 private:
  std::string section_;
  Value document_;
};

bool is_scaled(const Experiment& e, Scaling scaling) {
  return e.precision == DType::fp8 && e.scaling == scaling;
}

void write_model(const Experiment& e, Sections& out) {
  const FlavorName flavor = flavor_of(e);
  out.begin("model");
  out.word("name", flavor.model);
  out.word("flavor", flavor.name);
  if (is_scaled(e, Scaling::tensorwise)) out.raw("converters", "[\"quantize.linear.float8\"]");
  if (is_scaled(e, Scaling::mxfp8)) out.raw("converters", "[\"quantize.linear.mx\"]");
}

/// Returns the layers of each stage; empty where they are as many in each.
std::vector<int> counts_of(const Experiment& e) {
  std::vector<int> counts;
  if (e.partition.kind != PartitionOptions::Kind::counts) return counts;
  for (const int64_t count : e.partition.counts) counts.push_back(static_cast<int>(count));
  return counts;
}

/// How the stages lie on the ranks where nobody says it: as the schedule that has a name.
StagePlacement placement_of(const Experiment& e) {
  const ScheduleName schedule = schedule_named(schedule_of(e)).value_or(ScheduleName{"1F1B", ""});
  return {schedule.theirs,
          schedule.has_several_stages ? std::max(2, int{e.parallel.virtual_stages}) : 1,
          {}};
}

void write_pipeline(const Experiment& e, const StagePlacement& placement, Sections& out) {
  const int ranks = e.parallel.pipeline;
  if (ranks == 1) return;
  out.number("pipeline_parallel_degree", ranks);
  out.word("pipeline_parallel_schedule", placement.schedule);
  if (!placement.csv.empty()) out.word("pipeline_parallel_schedule_csv", placement.csv);
  out.number("pipeline_parallel_microbatch_size", e.batch.micro);
  const int64_t layers = e.model_or_fail().transformer.layers;
  const int of_a_rank = placement.stages_of_a_rank;
  const int64_t stages = int64_t{ranks} * of_a_rank;
  std::vector<int> counts = counts_of(e);
  if (counts.empty()) {
    if (layers % stages != 0) return;  // a list of them would be needed
    counts.assign(static_cast<size_t>(stages), static_cast<int>(layers / stages));
  }
  if (of_a_rank > 2)
    out.number("pipeline_parallel_layers_per_stage", (layers + 1 + stages) / stages);
  if (counts != even_cut(layers, stages, 1, 1))
    out.raw("module_fqns_per_model_part", module_names(counts));
}

void write_context(const Parallel& p, Sections& out) {
  if (p.context == 1) return;
  out.number("context_parallel_degree", p.context);
  const bool gathers = p.context_options.exchange == ContextExchange::all_gather;
  out.word("context_parallel_rotate_method", gathers ? "allgather" : "alltoall");
}

/// torchtitan cuts weights over the ranks of a context as well, and does not count them.
void write_sharding(const Parallel& p, Sections& out) {
  const int data = std::max(p.data, 1), context = std::max(p.context, 1);
  const int all = p.shard > 0 ? p.shard : data * context;
  const int shard = p.zero < 3 ? 1 : std::clamp(all / context, 1, data);
  out.number("data_parallel_replicate_degree", data / shard);
  out.number("data_parallel_shard_degree", shard);
  if (p.reshard) out.word("fsdp_reshard_after_forward", *p.reshard ? "always" : "never");
}

void write_parallelism(const Experiment& e, const StagePlacement& placement, Sections& out) {
  const Parallel& p = e.parallel;
  out.begin("parallelism");
  write_sharding(p, out);
  out.number("tensor_parallel_degree", p.tensor);
  if (e.overlap.tensor.kind == TensorOverlap::chunked)
    out.truth("enable_async_tensor_parallel", true);
  write_context(p, out);
  write_pipeline(e, placement, out);
  if (!e.model_or_fail().transformer.experts || p.expert == 1) return;
  // Of this schedule only, where both hide by default.
  if (placement.schedule == "DualPipeV" && e.overlap.expert == ExpertOverlap::none)
    out.truth("pipeline_parallel_expert_parallel_overlap", false);
  out.number("expert_parallel_degree", p.expert);
  if (p.expert_tensor != 1 && p.expert_tensor != p.tensor)
    e.misfit("parallel.expert_tensor",
             fmt::format("torchtitan cuts experts over 1 or all {} tensor ranks, not over {}",
                         p.tensor, p.expert_tensor));
  if (p.expert_tensor > 1) out.number("expert_tensor_parallel_degree", p.expert_tensor);
  if (e.dispatch.send != DispatchOptions::Send::each_copy)
    out.word("expert_parallel_comm_backend", "deepep");
}

int64_t sequence_of(const Experiment& e) {
  return e.batch.sequence > 0 ? e.batch.sequence : e.model_or_fail().sequence.value_or(0);
}

void write_training(const Experiment& e, Sections& out) {
  const int64_t replicas = std::max(e.parallel.data, 1);
  const bool is_pipeline = e.parallel.pipeline > 1;
  out.begin("training");
  out.number("local_batch_size",
             is_pipeline ? std::max<int64_t>(e.batch.global / replicas, 1) : e.batch.micro);
  if (!is_pipeline) out.number("global_batch_size", e.batch.global);
  out.number("seq_len", sequence_of(e));
  if (e.precision == DType::fp32) out.word("mixed_precision_param", "float32");
  if (e.master_weights == MasterWeights::none && e.moments == Moments::bf16)
    out.word("dtype", "bfloat16");
  if (!e.training) return;
  const double tokens = static_cast<double>(e.batch.global * sequence_of(e));
  out.number("steps", std::max<int64_t>(1, std::llround(e.training->tokens / tokens)));
}

/// Returns how often a layer is run again, as torchtitan counts; empty where it is not by layers.
std::string every_of(const Experiment& e, const Value& layers) {
  const int64_t stages = int64_t{e.parallel.pipeline} * std::max(e.parallel.virtual_stages, 1);
  const int64_t again = config::as_int(layers, 0, 1'000'000);
  const int64_t each = e.model_or_fail().transformer.layers / stages;
  return again > 0 && each % again == 0 ? std::to_string(each / again) : "";
}

void write_recompute(const Experiment& e, Sections& out) {
  out.begin("activation_checkpoint");
  const Value* value = e.document.find("recompute");
  const Value* products = value && value->is_map() ? value->find("products") : nullptr;
  const Value* layers = value && value->is_map() ? value->find("layers") : nullptr;
  const std::string every = layers ? every_of(e, *layers) : "";
  const std::string option = products && products->text == "2" ? "op" : every;
  const bool is_full = value && value->text == "full";
  out.word("mode", is_full ? "full" : option.empty() ? "none" : "selective");
  if (!option.empty()) out.word("selective_ac_option", option);
}

/// Without a recipe of its own scales are those of tensors, and only then gathered weights are in
/// fp8 too (torchtitan/components/quantization/float8.py). The head and routers stay in bf16 here.
void write_float8(const Experiment& e, const Value& along, Sections& out) {
  if (!is_scaled(e, Scaling::tensorwise)) return;
  out.begin("quantize.linear.float8");
  if (e.parallel.gathered == GatheredWeights::fp8) out.truth("enable_fsdp_float8_all_gather", true);
  const Value* filter = job::value_at(along, "quantize.linear.float8.filter_fqns");
  const bool routes = e.model_or_fail().transformer.experts.has_value();
  if (filter)
    out.set("filter_fqns", *filter);
  else
    out.raw("filter_fqns", routes ? R"(["output", "router.gate"])" : R"(["output"])");
}

/// Keeps what is compiled beside the model. What goes along says it.
void write_compile(const Experiment& e, const Value& along, Sections& out) {
  out.begin("compile");
  const bool fuses = e.kernels == KernelFusion::fused;
  const Value* asked = job::value_at(along, "compile.enable");
  const Value* parts = job::value_at(along, "compile.components");
  const bool has_model = parts && std::ranges::any_of(parts->items, [](const Value& part) {
                           return part.text == "model";
                         });
  const bool compiles_others = asked && job::python_truth(*asked) && parts && !has_model;
  out.truth("enable", fuses || compiles_others);
  if (parts && fuses == has_model) out.set("components", *parts);
}

constexpr std::string_view async_products = "parallelism.enable_async_tensor_parallel";

/// torchtitan splits products of tensor ranks where the model is compiled, which is simulated
/// beside whole weights only.
bool splits_products(const Experiment& e) {
  return e.kernels == KernelFusion::fused && e.parallel.tensor > 1 && e.parallel.zero == 3;
}

/// Returns what goes along, without sections of converters that the job does not name and without
/// what is compiled, which is written already.
Value along_of(const Experiment& e, const Value& along) {
  Value rest;
  for (const std::string& path : job::paths_of(along)) {
    const bool is_float8 = path.starts_with("quantize.linear.float8.");
    const bool is_mx = path.starts_with("quantize.linear.mx.");
    const bool is_of_other = (is_float8 && !is_scaled(e, Scaling::tensorwise)) ||
                             (is_mx && !is_scaled(e, Scaling::mxfp8));
    if (path == async_products && !splits_products(e)) continue;
    if (!is_of_other && path != "compile.components" && !path.starts_with(job::left))
      job::set_at(rest, path, *job::value_at(along, path));
  }
  return rest;
}

}  // namespace

Value job_document(const Experiment& experiment, const StagePlacement* placement,
                   const Value& along) {
  const Experiment& e = experiment;
  Sections out;
  out.begin("job");
  const Value* folder = job::value_at(along, "job.dump_folder");
  out.word("dump_folder", folder ? folder->text : "./outputs");
  write_model(e, out);
  write_parallelism(e, placement ? *placement : placement_of(e), out);
  write_training(e, out);
  write_recompute(e, out);
  out.begin("optimizer");
  out.word("name", e.optimizer == Optimizer::adam ? "Adam" : "AdamW");
  write_compile(e, along, out);
  write_float8(e, along, out);
  return out.with(along_of(e, along));
}

std::string write_job_file(const Experiment& experiment, const StagePlacement* placement,
                           const Value& along) {
  return fmt::format("# for torchtitan {}\n{}", release,
                     job::to_toml(job_document(experiment, placement, along)));
}

// torchtitan/components/quantization/mx.py asks for compute capability 10.0.
std::vector<std::string> warnings(const Experiment& experiment) {
  std::vector<std::string> lines;
  if (!is_scaled(experiment, Scaling::mxfp8)) return lines;
  for (const Device& device : cluster_of(experiment, config::Catalogue()).device_types)
    if (!device.peak_at(DType::nvfp4))
      lines.push_back(fmt::format("MXFP8 needs NVIDIA's Blackwell or later: torchtitan stops on {}",
                                  device.name));
  return lines;
}

}  // namespace pipewright::torchtitan
