#include "convert/megatron/parallel.hpp"

#include <fmt/format.h>

#include <numeric>

#include "convert/megatron/writers.hpp"
#include "interop/megatron_layout.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {

using config::number;
using config::Value;

namespace {

/// Holds a layout's modules that predict further tokens to the model's, as Megatron-Core does.
void check_predictions(Flags& flags, const std::string& name, const MegatronLayout& layout) {
  if (!flags.has("mtp-num-layers")) return;
  const int64_t there = flags.number("mtp-num-layers", 0, 0);
  const int64_t named =
      std::accumulate(layout.predictions.begin(), layout.predictions.end(), int64_t{0});
  if (named != there)
    flags.fail(name, fmt::format("the model has {} m, the layout {}", there, named));
}

/// Sets the stages as --pipeline-model-parallel-layout has them.
void lay_out(Flags& flags, const std::string& text, int64_t pipeline, Parallelism& result) {
  const std::string name = "pipeline-model-parallel-layout";
  const MegatronLayout layout = read_megatron_layout(text, flags.where(name));
  const auto stages = static_cast<int64_t>(layout.layers.size());
  if (stages % pipeline != 0)
    flags.fail(name, fmt::format("has {} stages, which {} pipeline ranks do not divide", stages,
                                 pipeline));
  check_predictions(flags, name, layout);
  result.partition.assign(layout.layers.begin(), layout.layers.end());
  if (!layout.predicts_with_loss()) result.layout = text;
  result.virtual_stages = stages / pipeline;
}

/// Returns the layers of each pipeline rank where the first or the last has its own number.
std::vector<int> uneven_ranks(Flags& flags, const Degrees& d) {
  const bool has_first = flags.has("decoder-first-pipeline-num-layers");
  const char* name =
      has_first ? "decoder-first-pipeline-num-layers" : "decoder-last-pipeline-num-layers";
  const int64_t first = flags.number("decoder-first-pipeline-num-layers", 0, 0);
  const int64_t last = flags.number("decoder-last-pipeline-num-layers", 0, 0);
  const int64_t inner = d.pipeline - (first > 0) - (last > 0), rest = d.layers - first - last;
  if (rest < 0 || (inner > 0 ? rest % inner != 0 : rest != 0) || d.pipeline > 65536)
    flags.fail(name, fmt::format("leaves {} layers for {} other ranks", rest, inner));
  std::vector<int> ranks(static_cast<size_t>(d.pipeline),
                         inner > 0 ? static_cast<int>(rest / inner) : 0);
  if (first > 0) ranks.front() = static_cast<int>(first);
  if (last > 0) ranks.back() = static_cast<int>(last);
  return ranks;
}

/// Returns the stages of each pipeline rank; 1 where nobody says so. `counted` are the layers with
/// what counts as one.
int64_t stages_of_a_rank(Flags& flags, const Degrees& d, int64_t counted) {
  if (flags.has("num-virtual-stages-per-pipeline-rank"))
    return flags.number("num-virtual-stages-per-pipeline-rank", 1);
  const int64_t each = flags.number("num-layers-per-virtual-pipeline-stage", 0, 0);
  if (each == 0) return 1;
  if (counted % d.pipeline != 0 || counted / d.pipeline % each != 0)
    flags.fail("num-layers-per-virtual-pipeline-stage",
               fmt::format("{} x {} ranks does not divide {} layers", each, d.pipeline, counted));
  return counted / d.pipeline / each;
}

/// Cuts the layers of every rank into `count` stages, in model order.
std::vector<int> cut(Flags& flags, const std::vector<int>& ranks, int64_t count) {
  std::vector<int> stages;
  if (count > 65536 || static_cast<int64_t>(ranks.size()) * count > 1'000'000)
    flags.fail("num-virtual-stages-per-pipeline-rank", "asks for more than a million stages");
  for (int64_t chunk = 0; chunk < count; ++chunk)
    for (const int layers : ranks) {
      if (layers % count != 0)
        throw InputError(
            flags.where("num-virtual-stages-per-pipeline-rank"),
            fmt::format("{} stages of a rank do not divide its {} layers", count, layers));
      stages.push_back(static_cast<int>(layers / count));
    }
  return stages;
}

/// Sets the stages that the pattern of a hybrid model marks.
void take_marked(Flags& flags, const Degrees& d, const std::vector<int>& marked,
                 Parallelism& result) {
  result.partition = marked;
  const auto stages = std::ssize(marked);
  if (stages % d.pipeline != 0)
    flags.fail(
        "hybrid-layer-pattern",
        fmt::format("marks {} stages, which {} pipeline ranks do not divide", stages, d.pipeline));
  result.virtual_stages = stages / d.pipeline;
}

void add_stages(Flags& flags, const Degrees& d, Parallelism& result) {
  if (d.pipeline > 1 && d.hybrid && !d.hybrid->stages.empty())
    return take_marked(flags, d, d.hybrid->stages, result);
  if (const auto text = flags.text("pipeline-model-parallel-layout")) {
    lay_out(flags, *text, d.pipeline, result);
    const char* count = "num-virtual-stages-per-pipeline-rank";
    const int64_t said = flags.number(count, result.virtual_stages);
    if (said != result.virtual_stages)
      flags.fail(count,
                 fmt::format("is {}, and the layout has {} stages for {} pipeline ranks: "
                             "{} of each",
                             said, result.partition.size(), d.pipeline, result.virtual_stages));
    return;
  }
  const bool embedding = flags.has("account-for-embedding-in-pipeline-split");
  const bool loss = flags.has("account-for-loss-in-pipeline-split");
  const int64_t counted = d.layers + embedding + loss;
  result.virtual_stages = d.pipeline > 1 ? stages_of_a_rank(flags, d, counted) : 1;
  const bool uneven = flags.has("decoder-first-pipeline-num-layers") ||
                      flags.has("decoder-last-pipeline-num-layers");
  if (d.pipeline < 2) return;
  if (uneven) {
    result.partition = cut(flags, uneven_ranks(flags, d), result.virtual_stages);
    return;
  }
  if (counted % d.pipeline != 0 || counted / d.pipeline % result.virtual_stages != 0)
    throw InputError(
        flags.where("pipeline-model-parallel-size"),
        fmt::format("{} layers cannot be cut into {} stages of the same number of layers; uneven "
                    "ones need --decoder-first-pipeline-num-layers or its like",
                    counted, d.pipeline * result.virtual_stages));
  if (!embedding && !loss) return;
  const std::vector<int> ranks(static_cast<size_t>(d.pipeline),
                               static_cast<int>(counted / d.pipeline));
  result.partition = cut(flags, ranks, result.virtual_stages);
  result.partition.front() -= embedding;
  result.partition.back() -= loss;
}

}  // namespace

namespace {

/// What Megatron-LM of today does not start is no error here: earlier releases did.
void note_checkpoints(Flags& flags) {
  const std::string format = flags.text("ckpt-format").value_or("torch_dist");
  const std::string asking = flags.named("use-megatron-fsdp");
  const bool is_of_a_command = asking.starts_with("--");  // others say checkpoints elsewhere
  if (!is_of_a_command || format == fsdp_checkpoints) return;
  flags.import().assumed.push_back(
      fmt::format("Megatron-LM of 2026-08 starts {} with --ckpt-format {} only, not with {}",
                  asking, fsdp_checkpoints, format));
}

}  // namespace

int read_zero(Flags& flags) {
  const bool optimizer = flags.has("use-distributed-optimizer");
  const bool custom = flags.has("use-custom-fsdp"), megatron = flags.has("use-megatron-fsdp");
  const std::string given = flags.text("data-parallel-sharding-strategy").value_or("");
  if (flags.has("use-torch-fsdp2")) return 3;
  if (flags.text("optimizer") == "dist_muon") return 1;  // whole matrices, layer by layer
  // It is FSDP's own; nothing else asks for it.
  if (!custom && !megatron) return optimizer ? 1 : 0;
  if (megatron) note_checkpoints(flags);
  if (given.empty() && megatron)
    flags.import().assumed.push_back(flags.named("use-megatron-fsdp") +
                                     " shards optim_grads_params, as by default since 2025-11");
  const std::string strategy = !given.empty() ? given
                               : megatron     ? "optim_grads_params"
                                              : "no_shard";
  static constexpr std::string_view strategies[] = {"no_shard", "optim", "optim_grads",
                                                    "optim_grads_params"};
  for (int zero = 0; zero < 4; ++zero)
    if (strategies[zero] == strategy) return zero;
  flags.fail("data-parallel-sharding-strategy", fmt::format("cannot be '{}'", strategy));
}

namespace {

/// Experts that are spread are cut as dense layers are unless something else is said
/// (transformer_config.py).
void add_experts(Flags& flags, const Degrees& d, Value& p) {
  const int64_t expert = flags.number("expert-model-parallel-size", 1);
  p.set("expert", number(expert));
  const std::string name = "expert-tensor-parallel-size";
  const int64_t tensor = flags.number(name, d.tensor);
  if (!flags.has("num-experts") && !flags.has("num-moe-experts")) return;
  if (expert > 1 && tensor > 1) p.set("expert_tensor", number(tensor));
  if (expert == 1 && tensor != d.tensor)
    flags.refuse(flags.has(name) ? name : "tensor-model-parallel-size",
                 fmt::format("cannot be said: experts that are not spread, cut over {} ranks where "
                             "the rest is over {}",
                             tensor, d.tensor));
}

/// The first size is that of the groups that exchange heads, the second that of the rings.
void add_hierarchy(Flags& flags, const Degrees& d, Value& p) {
  const std::string name = "hierarchical-context-parallel-sizes";
  const std::vector<std::string> sizes = flags.texts(name);
  const bool has_two = sizes.size() == 2;
  const int64_t heads = has_two ? interop::number_of<int64_t>(sizes[0]).value_or(0) : 0;
  const int64_t rings = has_two ? interop::number_of<int64_t>(sizes[1]).value_or(0) : 0;
  if (heads < 1 || d.context % heads != 0 || d.context / heads != rings)
    flags.fail(flags.has(name) ? name : "cp-comm-type",
               fmt::format("a2a+p2p needs two sizes in --{} whose product is the degree {}", name,
                           d.context));
  Value& context = p.set("context", {});
  context.set("degree", number(d.context));
  context.set("heads", number(heads));
}

void add_context(Flags& flags, const Degrees& d, Value& p) {
  const std::string kind = flags.text("cp-comm-type").value_or("p2p");
  if (d.context == 1 || kind == "p2p") {
    p.set("context", number(d.context));
    return;
  }
  if (kind == "a2a+p2p") return add_hierarchy(flags, d, p);
  if (kind != "a2a" && kind != "all_gather") {
    flags.refuse("cp-comm-type",
                 fmt::format("{} cannot be said: it is p2p, a2a, all_gather or a2a+p2p", kind));
    p.set("context", number(d.context));
    return;
  }
  Value& context = p.set("context", {});
  context.set("degree", number(d.context));
  context.set("exchange", config::scalar(kind == "a2a" ? "ulysses" : "all-gather"));
}

/// Sharded weights may lie in groups of replicas that are copies of each other. The optimizer's
/// state alone is cut over all replicas here.
void add_copies(Flags& flags, int zero, Value& p) {
  const std::string name = "num-distributed-optimizer-instances";
  const int64_t copies = flags.number(name, 1);
  if (copies == 1) return;
  if (zero == 3 && !flags.has("use-torch-fsdp2"))
    p.set("replicate", number(copies));
  else
    flags.refuse(name,
                 "cannot be said: groups of replicas are copies of each other only where weights "
                 "are sharded (--use-megatron-fsdp and optim_grads_params), and the optimizer's "
                 "state alone is cut over all replicas");
}

}  // namespace

Parallelism read_parallel(Flags& flags, const Degrees& d) {
  Parallelism result;
  Value& p = result.parallel;
  p.set("tensor", number(d.tensor));
  p.set("pipeline", number(d.pipeline));
  p.set("data", number(d.data));
  add_stages(flags, d, result);
  if (result.virtual_stages > 1) p.set("virtual", number(result.virtual_stages));
  const bool sequence = flags.has("sequence-parallel");
  // One rank has nobody to share it with, and says nothing about plans for several.
  if (d.tensor > 1) p.set("sequence", job::truth(sequence));
  add_context(flags, d, p);
  add_experts(flags, d, p);
  const int zero = read_zero(flags);
  p.set("zero", number(zero));
  add_copies(flags, zero, p);
  if (zero == 3 && flags.has("torch-fsdp2-no-reshard-after-forward"))
    p.set("reshard", job::truth(false));
  return result;
}

}  // namespace pipewright::megatron
