#include "convert/megatron_parallel.hpp"

#include <fmt/format.h>

#include "convert/megatron_value.hpp"
#include "interop/megatron_layout.hpp"

namespace pipewright {

using config::number;
using config::Value;

namespace {

/// Returns the layers of each stage as --pipeline-model-parallel-layout has them.
std::vector<int> laid_out(MegatronFlags& flags, const std::string& text, int64_t pipeline) {
  const std::string layout = "pipeline-model-parallel-layout";
  std::vector<int> stages = read_megatron_layout(text, flags.where(layout));
  if (static_cast<int64_t>(stages.size()) % pipeline != 0)
    flags.fail(layout, fmt::format("has {} stages, which {} pipeline ranks do not divide",
                                   stages.size(), pipeline));
  return stages;
}

/// Returns the layers of each stage where the first or the last has its own number; else nothing.
std::vector<int> uneven_ends(MegatronFlags& flags, const MegatronDegrees& d) {
  const int64_t first = flags.number("decoder-first-pipeline-num-layers", 0, 0);
  const int64_t last = flags.number("decoder-last-pipeline-num-layers", 0, 0);
  if ((first == 0 && last == 0) || d.pipeline < 2) return {};
  const int64_t inner = d.pipeline - (first > 0) - (last > 0), rest = d.layers - first - last;
  const char* name =
      first > 0 ? "decoder-first-pipeline-num-layers" : "decoder-last-pipeline-num-layers";
  if (rest < 0 || (inner > 0 ? rest % inner != 0 : rest != 0) || d.pipeline > 65536)
    flags.fail(name, fmt::format("leaves {} layers for {} other ranks", rest, inner));
  std::vector<int> stages(static_cast<size_t>(d.pipeline),
                          inner > 0 ? static_cast<int>(rest / inner) : 0);
  if (first > 0) stages.front() = static_cast<int>(first);
  if (last > 0) stages.back() = static_cast<int>(last);
  return stages;
}

/// Returns the stages of each pipeline rank where they are alike; nothing where nobody says so.
std::optional<int64_t> alike_stages(MegatronFlags& flags, const MegatronDegrees& d) {
  if (flags.has("num-virtual-stages-per-pipeline-rank"))
    return flags.number("num-virtual-stages-per-pipeline-rank", 1);
  const int64_t each = flags.number("num-layers-per-virtual-pipeline-stage", 0, 0);
  if (each == 0) return std::nullopt;
  if (d.layers % (d.pipeline * each) != 0)
    flags.fail("num-layers-per-virtual-pipeline-stage",
               fmt::format("{} x {} ranks does not divide {} layers", each, d.pipeline, d.layers));
  return d.layers / d.pipeline / each;
}

void add_stages(MegatronFlags& flags, const MegatronDegrees& d, MegatronParallel& result) {
  if (const auto text = flags.text("pipeline-model-parallel-layout")) {
    result.partition = laid_out(flags, *text, d.pipeline);
    result.virtual_stages = static_cast<int64_t>(result.partition.size()) / d.pipeline;
  } else if (const std::optional<int64_t> stages = alike_stages(flags, d)) {
    result.virtual_stages = *stages;
  } else {
    result.partition = uneven_ends(flags, d);
  }
}

}  // namespace

int megatron_zero(MegatronFlags& flags) {
  const bool fully =
      flags.has("use-torch-fsdp2") | flags.has("use-custom-fsdp") | flags.has("use-megatron-fsdp");
  const bool optimizer = flags.has("use-distributed-optimizer");
  const std::string strategy = flags.text("data-parallel-sharding-strategy").value_or("");
  if (strategy == "optim_grads") return 2;
  if (strategy == "optim_grads_params") return 3;
  return fully ? 3 : optimizer ? 1 : 0;
}

MegatronParallel megatron_parallel(MegatronFlags& flags, const MegatronDegrees& d) {
  MegatronParallel result;
  Value& p = result.parallel;
  p.set("tensor", number(d.tensor));
  p.set("pipeline", number(d.pipeline));
  p.set("data", number(d.data));
  add_stages(flags, d, result);
  if (result.virtual_stages > 1) p.set("virtual", number(result.virtual_stages));
  p.set("sequence", truth(flags.has("sequence-parallel") && d.tensor > 1));
  p.set("context", number(d.context));
  p.set("expert", number(flags.number("expert-model-parallel-size", 1)));
  p.set("zero", number(megatron_zero(flags)));
  return result;
}

}  // namespace pipewright
