// After src/accelerate/commands/config/config_args.py and utils/launch.py, July 2026; the program
// is taken to be one of transformers, with its defaults.
#include "convert/accelerate/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/accelerate/keys.hpp"
#include "convert/accelerate/sharding.hpp"
#include "convert/deepspeed/job_file.hpp"
#include "convert/deepspeed/training.hpp"
#include "convert/job/carried.hpp"
#include "convert/job/documents.hpp"
#include "convert/job/given_model.hpp"
#include "convert/job/rescale.hpp"
#include "convert/job/step_counts.hpp"
#include "interop/words.hpp"

namespace pipewright::accelerate {
namespace {

using config::number;
using config::scalar;
using config::Value;

constexpr int64_t most_devices = 1'048'576, most_sequences = 1'000'000'000;

/// What the program says, which --define gives. DeepSpeed's importer knows more of them.
constexpr std::string_view arguments[] = {"NGPU",
                                          "per_device_train_batch_size",
                                          "gradient_accumulation_steps",
                                          "max_seq_length",
                                          "max_steps",
                                          "gradient_checkpointing",
                                          "optim",
                                          "use_liger_kernel",
                                          "torch_compile",
                                          "attn_implementation"};

/// Words KEY=VALUE stand over the file, as options of accelerate launch do.
Value document_of(const job::Source& source, job::Import& import) {
  Value document = job::parse_job(source, import);
  job::apply_words(source, document);
  return document;
}

class ConfigFile {
 public:
  explicit ConfigFile(const job::Source& source)
      : source_(source), settings_(document_of(source, out_), source, out_) {}

  job::Import run() {
    out_.from = "a configuration of accelerate";
    const std::string type = type_of();
    read_devices(type);
    if (type == "DEEPSPEED") return with_deepspeed();
    check_arguments();
    read_degrees(settings_, devices_);
    out_.experiment.set("model", model());
    const std::string precision = read_precision();
    job::assume_cluster(out_, source_, devices_.all, devices_.all / devices_.machines);
    write_sharding(settings_, type, devices_, precision);
    batch();
    out_.experiment.set("schedule", scalar("1f1b"));
    optimizer();
    execution();
    settings_.review(other_keys(), "accelerate");
    job::carry(out_, settings_, {.format = "accelerate"});
    job::carry_step(out_, "accelerate");
    return std::move(out_);
  }

 private:
  std::string type_of() {
    const Value* value = settings_.find("distributed_type");
    if (!value) throw InputError(settings_.where(""), "no distributed_type of accelerate is here");
    std::string type = value->text;
    if (type == "false" || type == "No") type = "NO";  // YAML's truth of NO
    for (const char* known : {"NO", "MULTI_GPU", "FSDP", "DEEPSPEED", "MEGATRON_LM"})
      if (type == known) return type;
    settings_.refuse("distributed_type",
                     fmt::format("{} cannot be said: it is NO, MULTI_GPU, FSDP, DEEPSPEED or "
                                 "MEGATRON_LM",
                                 type));
    return "MULTI_GPU";
  }

  void read_devices(const std::string& type) {
    devices_.machines = settings_.integer({"num_machines"}, 1);
    devices_.all = settings_.integer({"num_processes"}, -1, -1);
    if (type == "NO") take_one_process();
    if (const auto given = job::given_devices(source_)) devices_.all = *given;
    if (devices_.all < 1) {
      devices_.all = devices_.machines > most_devices ? devices_.machines : 8 * devices_.machines;
      out_.devices_assumed = true;
      out_.assumed.push_back(fmt::format(
          "nothing says how many processes there are: {}; --define NGPU=N says it", devices_.all));
    }
    if (devices_.all > most_devices)
      throw InputError(settings_.where("num_processes"), "more than a million devices");
    if (devices_.all % devices_.machines != 0)
      throw InputError(settings_.where("num_machines"),
                       fmt::format("{} processes are no multiple of {} machines", devices_.all,
                                   devices_.machines));
  }

  /// `accelerate launch` starts the program by itself then (commands/launch.py, simple_launcher).
  void take_one_process() {
    if (devices_.all > 1)
      out_.assumed.emplace_back(
          "distributed_type: NO starts one process, whatever num_processes says: --define NGPU=N "
          "says another number");
    devices_.machines = devices_.all = 1;
  }

  void check_arguments() const {
    for (const auto& [name, value] : source_.given)
      if (std::find(std::begin(arguments), std::end(arguments), name) == std::end(arguments))
        throw InputError(fmt::format("--define {}={}: the program's arguments that are read are {}",
                                     name, value, fmt::join(arguments, ", ")));
  }

  Value model() {
    if (auto model = job::given_model(source_)) return std::move(*model);
    throw InputError({source_.file, 1, 1},
                     "nothing here says the model: give its Hugging Face config.json as a further "
                     "FILE, or --model NAME of the catalogue");
  }

  std::string read_precision() {
    const std::string said = interop::lower_case(settings_.text({"mixed_precision"}, "no"));
    if (said == "fp8") return fp8();
    if (said != "no" && said != "false" && said != "fp16" && said != "bf16")
      settings_.refuse("mixed_precision", said + " cannot be said: it is no, fp16, bf16 or fp8");
    const std::string precision = said == "fp16" || said == "bf16" ? said : "fp32";
    out_.experiment.set("precision", scalar(precision));
    return precision;
  }

  /// Transformer Engine scales by earlier numbers, torchao by the tensor's own.
  std::string fp8() {
    const std::string backend = interop::lower_case(settings_.text({"fp8_config.backend"}, "TE"));
    if (backend != "te" && backend != "ao")
      settings_.refuse("fp8_config.backend", backend + " cannot be said: it is TE or AO");
    out_.experiment.set("precision", {})
        .set("fp8", scalar(backend == "ao" ? "tensorwise" : "delayed"));
    return "fp8";
  }

  int64_t argument(const std::string& name, int64_t otherwise) const {
    const auto found = source_.given.find(name);
    if (found == source_.given.end()) return otherwise;
    const auto count = interop::number_of<int64_t>(found->second);
    if (!count || *count < 1 || *count > most_sequences)
      throw InputError(
          fmt::format("--define {}={}: needs a number of at least 1", name, found->second));
    return *count;
  }

  void batch() {
    const int64_t micro = argument("per_device_train_batch_size", 8);
    const int64_t steps =
        argument("gradient_accumulation_steps",
                 settings_.integer({"megatron_lm_config.megatron_lm_num_micro_batches"}, 1));
    if (!source_.given.contains("per_device_train_batch_size"))
      out_.assumed.push_back(
          fmt::format("{}, as transformers has it: --define per_device_train_batch_size=N says it",
                      job::usual_micro_batch));
    if (micro * steps > most_sequences)
      throw InputError({source_.file, 1, 1}, "a batch of more than a billion sequences");
    Value& b = out_.experiment.set("batch", {});
    const int64_t global = micro * steps * devices_.data();
    b.set("global", number(global));
    b.set("micro", number(micro));
    const int64_t tokens = argument("max_seq_length", 0);
    if (tokens > 0)
      b.set("sequence", number(tokens));
    else
      job::take_models_sequence(source_, out_);
    // Below 1 the program's epochs say how long it is.
    const auto limit = source_.given.find("max_steps");
    const bool is_limit = limit != source_.given.end() && !limit->second.starts_with('-');
    const int64_t count = is_limit ? argument("max_steps", 0) : 0;
    if (count == 0 || tokens == 0) return;
    const double all =
        static_cast<double>(count) * static_cast<double>(global) * static_cast<double>(tokens);
    out_.experiment.set("training", {}).set("tokens", scalar(fmt::format("{:.0f}", all)));
  }

  void optimizer() {
    const auto said = source_.given.find("optim");
    if (said == source_.given.end())
      out_.assumed.emplace_back("the program makes its optimizer itself: it is taken to be AdamW");
    const std::string_view ours =
        said == source_.given.end() ? "adamw" : deepspeed::optimizer_named(said->second);
    if (ours.empty())
      settings_.refuse("optim",
                       said->second + " cannot be said: it is AdamW, Adafactor, RMSprop or SGD");
    out_.experiment.set("optimizer", scalar(ours.empty() ? "adamw" : ours));
  }

  bool asks(const std::string& name) const {
    const auto said = source_.given.find(name);
    return said != source_.given.end() && job::python_truth(scalar(said->second));
  }

  void execution() {
    const std::string backend = interop::lower_case(
        settings_.text({"dynamo_config.dynamo_backend", "dynamo_backend"}, "no"));
    if (devices_.pipeline * devices_.tensor == 1 || !settings_.has("megatron_lm_config"))
      out_.experiment.set("kernels", scalar(backend == "no" ? "eager" : "fused"));
    const auto attention = source_.given.find("attn_implementation");
    const bool is_eager = attention != source_.given.end() && attention->second == "eager";
    deepspeed::set_kernels({asks("use_liger_kernel"), asks("torch_compile"), is_eager},
                           devices_.tensor, out_.experiment);
    if (asks("gradient_checkpointing")) out_.experiment.set("recompute", scalar("full"));
  }

  /// The plugin's keys as a configuration of DeepSpeed, or the file that they name.
  std::string configuration() {
    if (const Value* file = settings_.find("deepspeed_config.deepspeed_config_file")) {
      const auto text = source_.read ? source_.read(file->text) : std::nullopt;
      if (!text) file->fail(fmt::format("'{}' cannot be read", file->text));
      return *text;
    }
    const std::string at = "deepspeed_config.";
    const std::string precision = interop::lower_case(settings_.text({"mixed_precision"}, "no"));
    if (precision == "fp8")
      settings_.refuse("mixed_precision", "fp8 beside DeepSpeed is not modelled");
    std::string text = "{\"train_micro_batch_size_per_gpu\": \"auto\"";
    // Without it, it is "auto", and the program's argument goes in.
    const std::string steps = at + "gradient_accumulation_steps";
    if (settings_.text({steps}, "auto") != "auto")
      text += fmt::format(", \"gradient_accumulation_steps\": {}", settings_.integer({steps}, 1));
    if (precision == "bf16" || precision == "fp16")
      text += fmt::format(", \"{}\": {{\"enabled\": true}}", precision);
    text += fmt::format(", \"zero_optimization\": {{\"stage\": {}",
                        settings_.integer({at + "zero_stage"}, 2, 0));
    for (const char* part : {"optimizer", "param"}) {
      const std::string device =
          settings_.text({fmt::format("{}offload_{}_device", at, part)}, "none");
      if (device == "cpu" || device == "nvme")
        text += fmt::format(", \"offload_{}\": {{\"device\": \"{}\"}}", part, device);
    }
    return text + "}}";
  }

  job::Import with_deepspeed() {
    const std::string text = configuration();
    job::Source inner = source_;
    inner.text = text;
    // Words that change this file are none of DeepSpeed's.
    std::erase_if(inner.further, [](const job::Further& one) { return !one.text; });
    inner.given["NGPU"] = std::to_string(devices_.all);
    job::Import import = deepspeed::import_job(inner);
    if (devices_.machines > 1)
      import.experiment.set("cluster",
                            job::assumed_cluster(devices_.all, devices_.all / devices_.machines));
    settings_.find("mixed_precision");
    settings_.find("deepspeed_config.gradient_accumulation_steps");
    settings_.review(other_keys(), "accelerate");
    job::carry(out_, settings_, {.format = "accelerate"});
    if (const Value* own = out_.carried.find("accelerate")) import.carried.set("accelerate", *own);
    job::carry_step(import, "accelerate");
    job::add_notes(import, out_);
    import.from = "a configuration of accelerate with DeepSpeed";
    return import;
  }

  const job::Source& source_;
  job::Import out_;
  job::Settings settings_;
  Devices devices_;
};

}  // namespace

job::Import import_config(const job::Source& source) { return ConfigFile(source).run(); }

}  // namespace pipewright::accelerate
