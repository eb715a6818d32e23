#include "convert/megatron/fitting.hpp"

#include <algorithm>

#include "convert/megatron/writers.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;

/// An argument that goes along with some experiments only.
struct Condition {
  std::string_view argument;
  bool (*fits)(const Experiment& e, const Value& value);
};

bool shards(const Experiment& e, const Value&) { return e.parallel.zero > 1; }

bool is_narrow(const Experiment& e) {
  return e.precision == DType::fp8 || e.precision == DType::nvfp4;
}

/// Tells whether tokens are sent to their experts.
bool sends(const Experiment& e) {
  return e.parallel.expert > 1 && e.dispatch.send != DispatchOptions::Send::all_gather;
}

bool pads(const Experiment& e, const Value&) { return is_narrow(e) && sends(e); }

/// Shared experts hide sends of tokens that do not hide already (transformer_config.py).
bool hides_shared(const Experiment& e, const Value&) {
  const auto& experts = e.model_or_fail().transformer.experts;
  return experts && experts->shared > 0 && e.overlap.expert != ExpertOverlap::pairs && sends(e);
}

bool saves_in(const Experiment& e, const Value& format) {
  if (e.parallel.zero > 1) return format.text == fsdp_checkpoints;
  return format.text == "torch" || format.text == "torch_dist";
}

constexpr Condition conditions[] = {
    {"ckpt-format", saves_in},
    {"init-model-with-meta-device", shards},
    {"CUDA-DEVICE-MAX-CONNECTIONS",  // which FSDP wants several of
     [](const Experiment& e, const Value& value) {
       return e.parallel.zero < 2 || value.text != "1";
     }},
    {"save-params-interval",
     [](const Experiment& e, const Value&) { return !e.overlap.weights || e.parallel.zero == 0; }},
    {"check-weight-hash-across-dp-replicas-interval",
     [](const Experiment& e, const Value&) { return e.parallel.zero < 3; }},
    {"moe-shared-expert-overlap", hides_shared},
    {"moe-router-padding-for-fp8", pads},
    {"moe-router-padding-for-quantization", pads},
    {"fp16-lm-cross-entropy",
     [](const Experiment& e, const Value&) { return e.precision == DType::fp16; }},
    {"fp8-output-proj",
     [](const Experiment& e, const Value&) {
       return e.precision == DType::fp8 && e.scaling == Scaling::mxfp8;
     }},
    {"batch-invariant-mode",
     [](const Experiment& e, const Value&) { return e.precision == DType::bf16; }},
    {"inference-batch-times-seqlen-threshold",
     [](const Experiment& e, const Value&) { return e.parallel.pipeline > 1; }}};

/// Says that the job was one of FSDP.
constexpr std::string_view of_fsdp[] = {"init-model-with-meta-device", "use-megatron-fsdp"};
constexpr std::string_view fsdp_formats[] = {fsdp_checkpoints, "torch_dcp"};

std::string argument_of(std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

/// Tells whether anything below `along` is as only jobs of FSDP have it.
bool is_of_fsdp(const Value& along) {
  return std::ranges::any_of(along.entries, [](const config::Entry& entry) {
    const std::string name = argument_of(entry.key);
    const bool is_format =
        name == "ckpt-format" &&
        std::ranges::find(fsdp_formats, entry.value.text) != std::end(fsdp_formats);
    return is_format || std::ranges::find(of_fsdp, name) != std::end(of_fsdp) ||
           is_of_fsdp(entry.value);
  });
}

/// Returns the number at a key or an argument below `along`; nothing where it says none.
std::optional<int64_t> number_in(const Value& along, std::string_view argument) {
  for (const config::Entry& entry : along.entries) {
    if (argument_of(entry.key) == argument) return interop::number_of<int64_t>(entry.value.text);
    if (const auto inner = number_in(entry.value, argument)) return inner;
  }
  return std::nullopt;
}

class Fitting {
 public:
  Fitting(const Value& along, const Experiment& e)
      : e_(e), is_of_fsdp_(is_of_fsdp(along)), evaluates_(batch_fits(along)) {}

  Value kept(const Value& along) const {
    Value rest = along;
    std::erase_if(rest.entries, [&](const config::Entry& entry) { return !fits(entry); });
    for (config::Entry& entry : rest.entries)
      if (entry.value.is_map()) entry.value = kept(entry.value);
    return rest;
  }

 private:
  bool fits(const config::Entry& entry) const {
    const std::string name = argument_of(entry.key);
    const bool is_fused = name.ends_with("gradient-accumulation-fusion");
    if (is_fused && is_of_fsdp_) return e_.parallel.zero > 1;  // FSDP asks for it, and nothing else
    if (name == "eval-global-batch-size" || name == "eval-micro-batch-size") return evaluates_;
    const auto* one = std::ranges::find(conditions, std::string_view(name), &Condition::argument);
    return one == std::end(conditions) || one->fits(e_, entry.value);
  }

  /// Replicas share the sequences of an evaluation evenly.
  bool batch_fits(const Value& along) const {
    const int64_t global = number_in(along, "eval-global-batch-size").value_or(e_.batch.global);
    const int64_t micro = number_in(along, "eval-micro-batch-size").value_or(e_.batch.micro);
    const int64_t replicas = std::max(e_.parallel.data, 1);
    return micro > 0 && global % (micro * replicas) == 0;
  }

  const Experiment& e_;
  bool is_of_fsdp_, evaluates_;
};

}  // namespace

Value fitting(const Value& along, const Experiment& experiment) {
  return along.is_null() ? along : Fitting(along, experiment).kept(along);
}

}  // namespace pipewright::megatron
