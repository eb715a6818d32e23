// After deepspeed/runtime/engine.py, bf16_optimizer.py, zero/config.py and zero/offload_config.py.
// Without data_types.grad_accum_dtype gradients have the model's precision, but fp32 under bf16
// without ZeRO, up to version 0.17.5 (pull request 7515 changed it); overlap_comm is ZeRO 3's
// default alone; without ZeRO gradients are reduced after the last backward pass.
#include "convert/deepspeed/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/catalogue.hpp"
#include "interop/words.hpp"
#include "workload/model/model.hpp"

namespace pipewright::deepspeed {
namespace {

using config::scalar;
using config::Value;

/// DtypeEnum's names of a number format, or nothing.
std::string format_named(const std::string& given) {
  std::string name = interop::lower_case(given);
  if (name.starts_with("torch.")) name = name.substr(6);
  if (name == "bf16" || name == "bfloat16") return "bf16";
  if (name == "fp16" || name == "float16" || name == "half") return "fp16";
  return name == "fp32" || name == "float32" || name == "float" ? "fp32" : "";
}

std::string read_format(Documents& documents, const std::string& path,
                        const std::string& otherwise) {
  const Value* value = documents.key(path);
  if (!value) return otherwise;
  const std::string name = format_named(value->text);
  if (name.empty()) value->fail("must be fp32, fp16 or bf16");
  return name;
}

struct OptimizerName {
  std::string_view theirs, ours;
};
/// Names of the configuration and of transformers' --optim, in small letters.
constexpr OptimizerName optimizers[] = {{"adam", "adam"},         {"adamw", "adamw"},
                                        {"adamw_torch", "adamw"}, {"adamw_torch_fused", "adamw"},
                                        {"adamw_hf", "adamw"},    {"adamw_apex_fused", "adamw"},
                                        {"lamb", "lamb"},         {"adafactor", "adafactor"},
                                        {"rmsprop", "rmsprop"},   {"sgd", "sgd"}};

void read_optimizer(Documents& documents, job::Import& import, std::string_view unsaid) {
  const Value* argument = documents.argument({"optim", "optimizer", "optimizer_type"});
  const Value* value = documents.key("optimizer.type");
  const bool is_key = value != nullptr;
  if (!value) value = argument;
  const Value* momentum = documents.key("optimizer.params.momentum");
  if (!value) {
    if (unsaid.empty())
      import.assumed.push_back("the program makes its optimizer itself: it is taken to be AdamW");
    import.experiment.set("optimizer", scalar(std::string(unsaid.empty() ? "adamw" : unsaid)));
    return;
  }
  const std::string_view ours = optimizer_named(value->text);
  const bool moves = ours == "sgd" && momentum && config::as_number(*momentum, 0, 1) > 0;
  if (!ours.empty()) {
    import.experiment.set("optimizer", scalar(moves ? "momentum" : ours));
    return;
  }
  const std::string what =
      value->text + " cannot be said: it is Adam, AdamW, Lamb, SGD, RMSprop or Adafactor";
  if (is_key)
    documents.config().refuse("optimizer.type", what);
  else
    documents.arguments().refuse("optim", what);
}

/// Where a device's part goes: "none", "cpu" or "nvme". Until 2021 a truth said it.
bool is_offloaded(Documents& documents, const std::string& section, const std::string& before) {
  const Value* value = documents.key(section + ".device");
  const std::string device = value ? interop::lower_case(value->text) : "none";
  if (device == "nvme")
    documents.config().refuse(section + ".device", "nvme cannot be said: it is none or cpu");
  else if (device != "none" && device != "cpu")
    value->fail("must be none, cpu or nvme");
  return documents.truth(before, false) || device != "none";
}

void read_offload(Documents& documents, int stage, job::Import& import) {
  const std::string at = "zero_optimization.";
  const bool optimizer = is_offloaded(documents, at + "offload_optimizer", at + "cpu_offload");
  const bool weights = is_offloaded(documents, at + "offload_param", at + "cpu_offload_param");
  const Value* ratio = documents.key(at + "offload_optimizer.ratio");
  if (ratio && config::as_number(*ratio, 0, 1) < 1)
    documents.config().refuse(at + "offload_optimizer.ratio",
                              ratio->text + " cannot be said: it is all or nothing");
  if (optimizer && stage == 0)
    documents.config().refuse(at + "offload_optimizer", "is of ZeRO 1 and more");
  // Below ZeRO 3 the engine takes no notice of it.
  if (weights && stage < 3)
    import.unused.push_back(at + "offload_param: it is of ZeRO 3");
  else if (weights)
    documents.config().refuse(at + "offload_param",
                              "cannot be said: ZeRO 3 cuts the weights, and only whole ones are "
                              "offloaded here");
  // cpu_checkpointing moves what a model that is run again keeps.
  const bool moves = documents.truth("activation_checkpointing.cpu_checkpointing", false);
  const bool activations = moves && import.experiment.find("recompute");
  Value list;
  list.kind = Value::Kind::list;
  if (optimizer) list.items.push_back(scalar("optimizer"));
  if (activations) list.items.push_back(scalar("activations"));
  if (list.items.size() == 1)
    import.experiment.set("offload", list.items.front());
  else if (!list.items.empty())
    import.experiment.set("offload", std::move(list));
}

/// Returns the numbers of a bucket; nothing where transformers takes the square of a width that is
/// not known.
std::optional<double> bucket_of(Documents& documents, const Value& named) {
  const std::string path = "zero_optimization.reduce_bucket_size";
  const Value* given = documents.config().find(std::string_view(path));
  if (!given) return 5e8;
  if (given->text != "auto") return config::as_number(*given, 1, 1e12);
  const Model model = read_model(config::Catalogue().resolve("models", named));
  if (model.cnn || model.recurrent || model.layers) return std::nullopt;
  const auto hidden = static_cast<double>(model.transformer.hidden);
  return hidden * hidden;
}

void read_bucket(Documents& documents, job::Import& import) {
  const Value& e = import.experiment;
  const std::optional<double> numbers = bucket_of(documents, *e.find("model"));
  if (!numbers) {
    import.assumed.push_back("reduce_bucket_size: auto is taken to be the framework's");
    return;
  }
  const double width = e.find("gradients")->text == "fp32" ? 4 : 2;
  import.experiment.set("data", {})
      .set("bucket", scalar(fmt::format("{:.0f} B", std::floor(*numbers) * width)));
}

bool recomputes(Documents& documents) {
  const bool asked =
      documents.flag({"gradient_checkpointing", "activation_checkpointing", "grad_checkpoint",
                      "use_gradient_checkpointing", "deepspeed_activation_checkpointing",
                      "checkpoint_activations"});
  const Value* interval = documents.key("pipeline.activation_checkpoint_interval");
  const int64_t layers = interval ? config::as_int(*interval, 0, 1'000'000) : 0;
  if (layers > 1)
    documents.config().import().slight.push_back(
        fmt::format("pipeline.activation_checkpoint_interval: {}: the input of every layer is "
                    "taken to be kept",
                    layers));
  return asked || layers > 0;
}

/// ZeRO++ (deepspeed/runtime/zero/config.py).
void read_zero_plus(Documents& documents, const Degrees& degrees, Value& parallel) {
  const std::string at = "zero_optimization.zero_";
  if (documents.truth(at + "quantized_weights", false)) parallel.set("gathered", scalar("int8"));
  if (documents.truth(at + "quantized_gradients", false)) parallel.set("scattered", scalar("int4"));
  const Value* near = documents.key(at + "hpz_partition_size");
  const int64_t replicas = near ? config::as_int(*near, 0, 1'048'576) : 1;
  if (replicas <= 1 || replicas >= degrees.data) return;
  if (degrees.data % replicas != 0)
    near->fail(fmt::format("must divide the {} replicas", degrees.data));
  parallel.set("secondary", config::number(replicas));
}

int stage_of(Documents& documents) {
  const Value* given = documents.key("zero_optimization.stage");
  return static_cast<int>(given ? config::as_int(*given, 0, 3) : 0);
}

/// Gradients of fp32, or pipeline stages, under bf16 without ZeRO bring BF16_Optimizer, which keeps
/// of the optimizer's state what ZeRO 1 keeps.
bool shards_by_itself(const Value& e, int stage, const Degrees& degrees) {
  const bool is_its = e.find("gradients")->text == "fp32" || degrees.pipeline > 1;
  return stage == 0 && e.find("precision")->text == "bf16" && is_its && degrees.data > 1;
}

}  // namespace

void set_kernels(const ProgramKernels& kernels, int64_t tensor, config::Value& experiment) {
  if (kernels.liger || kernels.compiled) experiment.set("kernels", scalar("fused"));
  if (kernels.liger && tensor == 1) experiment.set("loss", scalar("chunked"));
  if (kernels.eager_attention) experiment.set("attention", scalar("unfused"));
}

std::string_view optimizer_named(std::string_view name) {
  const auto* known =
      std::ranges::find(optimizers, interop::lower_case(name), &OptimizerName::theirs);
  return known == std::end(optimizers) ? std::string_view() : known->ours;
}

void read_numbers(Documents& documents, job::Import& import, std::string_view unsaid) {
  const bool bf16 =
      documents.enabled("bf16.enabled", {"bf16"}) | documents.enabled("bfloat16.enabled", {"bf16"});
  const bool fp16 = documents.enabled("fp16.enabled", {"fp16"});
  if (bf16 && fp16)
    throw InputError(documents.config().where("fp16"), "fp16 and bf16 exclude each other");
  const std::string precision = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
  import.experiment.set("precision", scalar(precision));
  const bool is_wide = bf16 && stage_of(documents) == 0;
  const std::string kept =
      read_format(documents, "data_types.grad_accum_dtype", is_wide ? "fp32" : precision);
  const std::string sent = read_format(documents, "communication_data_type", kept);
  if (sent != kept)
    documents.config().refuse(
        "communication_data_type",
        fmt::format("{} cannot be said beside gradients that are kept in {}", sent, kept));
  import.experiment.set("gradients", scalar(kept));
  read_optimizer(documents, import, unsaid);
}

void read_zero(Documents& documents, const Degrees& degrees, job::Import& import) {
  const int stage = stage_of(documents);
  // PipelineEngine asserts it (deepspeed/runtime/pipe/engine.py).
  if (stage > 1 && degrees.pipeline > 1)
    documents.key("zero_optimization.stage")
        ->fail("pipeline stages of DeepSpeed go with ZeRO 0 and 1 only");
  Value& p = *import.experiment.find("parallel");
  const bool by_itself = shards_by_itself(import.experiment, stage, degrees);
  if (by_itself)
    import.assumed.push_back(
        fmt::format("bf16 without ZeRO: DeepSpeed's BF16_Optimizer shards the optimizer's state as "
                    "ZeRO 1 does{}",
                    degrees.pipeline > 1 || documents.key("data_types.grad_accum_dtype")
                        ? ""
                        : ", up to version 0.17.5; for later ones, which shard nothing, say "
                          "data_types.grad_accum_dtype: bf16"));
  p.set("zero", config::number(by_itself ? 1 : stage));
  const Value* shard = documents.key("zero_optimization.mics_shard_size");
  const int64_t replicas = shard ? config::as_int(*shard, -1, 1'048'576) : -1;
  if (replicas > 1 && replicas != degrees.data) {
    if (stage != 3 || degrees.data % replicas != 0)
      shard->fail(fmt::format("cuts weights, which needs ZeRO 3 and a divisor of {} replicas",
                              degrees.data));
    p.set("shard", config::number(replicas));
  }
  if (stage == 3 && degrees.data > 1) read_zero_plus(documents, degrees, p);
  read_offload(documents, stage, import);
  const bool overlaps = documents.truth("zero_optimization.overlap_comm", stage == 3);
  if (!import.experiment.find("overlap")) import.experiment.set("overlap", {});
  import.experiment.find("overlap")->set("data", job::truth(overlaps && stage > 0));
  if (stage > 0) read_bucket(documents, import);
}

void read_recompute(Documents& documents, const Degrees& degrees, job::Import& import) {
  const std::string at = "activation_checkpointing.";
  const bool cut = documents.truth(at + "partition_activations", false);
  const bool to_host = documents.truth(at + "cpu_checkpointing", false);
  if (!recomputes(documents)) {
    // The section says how deepspeed.checkpointing goes, which a model calls itself.
    import.assumed.push_back(
        cut || to_host
            ? "activation_checkpointing is of models that call it, and nothing says that "
              "this one does: activations are kept; --define "
              "gradient_checkpointing=true says it"
            : "nothing asks for recomputation: activations are kept");
    return;
  }
  if (cut && degrees.tensor > 1)
    import.slight.push_back(
        "activation_checkpointing.partition_activations: kept inputs are taken to be whole on "
        "every tensor rank");
  import.experiment.set("recompute", scalar("full"));
}

}  // namespace pipewright::deepspeed
