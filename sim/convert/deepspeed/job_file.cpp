#include "convert/deepspeed/job_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/deepspeed/adapters.hpp"
#include "convert/deepspeed/batch.hpp"
#include "convert/deepspeed/megatron_job.hpp"
#include "convert/deepspeed/training.hpp"
#include "convert/job/given_model.hpp"
#include "convert/job/step_counts.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"
#include "workload/model/hugging_face/text_model.hpp"

namespace pipewright::deepspeed {
namespace {

using config::number;
using config::scalar;
using config::Value;

constexpr int64_t most_devices = 1'048'576;
constexpr int64_t most_sequences = 1'000'000'000;

/// transformers' TrainingArguments, where DeepSpeed's key is "auto" and no argument says it.
constexpr int64_t default_micro = 8;

class JobFile {
 public:
  explicit JobFile(const job::Source& source)
      : source_(source), docs_(read_inputs(source, out_), source, out_) {}

  job::Import run() {
    if (is_megatron(docs_)) return with_notes(import_megatron(docs_, source_));
    out_.from = "a job of DeepSpeed";
    Value& e = out_.experiment;
    e.set("model", model());
    read_batch();
    read_degrees();
    job::assume_cluster(out_, source_, degrees_.world, std::min(degrees_.world, degrees_.per_node));
    e.set("framework", scalar("deepspeed"));
    parallel();
    batch();
    e.set("schedule", scalar("1f1b"));
    read_numbers(docs_, out_);
    read_recompute(docs_, degrees_, out_);
    read_adapters(docs_, out_);
    read_zero(docs_, degrees_, out_);
    const Value* attention = docs_.argument({"attn_implementation"});
    set_kernels({docs_.flag({"use_liger_kernel"}), false, attention && attention->text == "eager"},
                degrees_.tensor, out_.experiment);
    docs_.review();
    job::carry_step(out_, "deepspeed");
    return std::move(out_);
  }

 private:
  /// What was noted before it was known whose arguments these are.
  job::Import with_notes(job::Import import) const {
    job::add_notes(import, out_);
    return import;
  }

  Value model() {
    if (const auto& given = docs_.inputs().model) {
      const Value& config = *given;
      if (const std::string left = hugging_face::left_out_of(config, false); !left.empty())
        job::refuse(source_, out_, config.mark.where(), left);
      return from_hugging_face(config);
    }
    if (!source_.model.empty()) return scalar(source_.model);
    if (source_.written_model) return *source_.written_model;
    const Value* named = docs_.argument({"model_name_or_path", "actor_model_name_or_path"});
    const std::string what =
        "give its Hugging Face config.json as a further FILE, or --model NAME of the catalogue";
    if (!named)
      throw InputError({source_.file, 1, 1}, fmt::format("nothing here says the model: {}", what));
    const auto text = source_.read ? source_.read(named->text + "/config.json") : std::nullopt;
    if (!text) named->fail(fmt::format("'{}' has no config.json here: {}", named->text, what));
    out_.assumed.push_back(
        fmt::format("the config.json that is here is the one of {}", named->text));
    return from_hugging_face(config::parse(*text, named->text + "/config.json"));
  }

  void read_batch() {
    given_.train = docs_.number("train_batch_size", {"train_batch_size"});
    given_.micro = docs_.number(
        "train_micro_batch_size_per_gpu",
        {"per_device_train_batch_size", "micro_batch_size", "train_micro_batch_size_per_gpu"});
    given_.steps = docs_.number("gradient_accumulation_steps", {"gradient_accumulation_steps"});
    const bool left = docs_.config().has("train_micro_batch_size_per_gpu") ||
                      docs_.config().has("train_batch_size");
    if (!given_.train && !given_.micro && left) {
      given_.micro = default_micro;
      out_.assumed.push_back(
          "train_micro_batch_size_per_gpu: auto is 8, as transformers has it without "
          "--per_device_train_batch_size");
    }
    for (const auto& count : {given_.train, given_.micro, given_.steps})
      if (count && *count > most_sequences)
        throw InputError({source_.file, 1, 1}, "a batch of more than a billion sequences");
  }

  int64_t degree(const std::string& path, Documents::Names arguments) {
    const int64_t degree = docs_.number(path, arguments).value_or(1);
    if (degree > 65536) throw InputError(docs_.config().where(path), "a degree of more than 65536");
    return degree;
  }

  void read_degrees() {
    degrees_.tensor = std::max(degree("tensor_parallel.autotp_size", {}),
                               degree("tensor_parallel.tp.tp_size", {}));
    degrees_.context =
        degree("sequence_parallel_size", {"sequence_parallel_size", "ds_sequence_parallel_size"});
    degrees_.pipeline =
        degree("pipeline.stages", {"pipeline_parallel_size", "pipeline_model_parallel_size"});
    const int64_t others = degrees_.tensor * degrees_.context * degrees_.pipeline;
    if (others > most_devices)
      throw InputError({source_.file, 1, 1}, "the degrees ask for more than a million devices");
    read_world(others);
    if (degrees_.world % others != 0)
      throw InputError(
          docs_.inputs().launch.where.line > 0 ? docs_.inputs().launch.where
                                               : docs_.config().where(""),
          fmt::format("{} devices are no multiple of tensor {} x sequence {} x "
                      "pipeline {}",
                      degrees_.world, degrees_.tensor, degrees_.context, degrees_.pipeline));
    degrees_.data = degrees_.world / others;
  }

  void read_world(int64_t others) {
    const job::World& launched = docs_.inputs().launch.world;
    degrees_.per_node = launched.per_node;
    if (const auto given = job::given_devices(source_)) {
      degrees_.world = *given;
    } else if (launched.devices > 0) {
      degrees_.world = launched.devices;
    } else if (given_.train && given_.micro && given_.steps) {
      const int64_t replicas = *given_.train / *given_.micro / *given_.steps;
      degrees_.world = std::max<int64_t>(1, replicas) * others;
      out_.assumed.push_back(
          fmt::format("the batch is one of {} devices: --define NGPU=N says it", degrees_.world));
    } else {
      assume_world(others);
    }
    if (degrees_.world > most_devices)
      throw InputError({source_.file, 1, 1}, "more than a million devices");
  }

  /// Whole nodes, or fewer devices where the batch is too small for those.
  void assume_world(int64_t others) {
    degrees_.world = (others + 7) / 8 * 8;
    const bool has_batch = given_.train && given_.micro && *given_.train % *given_.micro == 0;
    while (has_batch && *given_.train / *given_.micro % (degrees_.world / others) != 0)
      degrees_.world -= others;
    out_.devices_assumed = true;
    out_.assumed.push_back(
        fmt::format("nothing says how many devices there are: {}{}; --define NGPU=N says it",
                    degrees_.world, degrees_.world % 8 == 0 ? ", in whole nodes" : ""));
  }

  void parallel() {
    Value& p = out_.experiment.set("parallel", {});
    p.set("tensor", number(degrees_.tensor));
    p.set("pipeline", number(degrees_.pipeline));
    p.set("data", number(degrees_.data));
    if (degrees_.context == 1) return;
    Value& context = p.set("context", {});
    context.set("degree", number(degrees_.context));
    context.set("exchange", scalar("ulysses"));
  }

  void batch() {
    if (!given_.train && !given_.micro)
      throw InputError(docs_.config().where(""),
                       "train_batch_size or train_micro_batch_size_per_gpu is missing");
    const Batch batch = complete(given_, degrees_.data);
    if (!agrees(batch, degrees_.data))
      throw InputError(
          docs_.config().where("train_batch_size"),
          fmt::format("a train_batch_size of {} is not {} sequences x {} steps x {} replicas",
                      batch.train, batch.micro, batch.steps, degrees_.data));
    Value& b = out_.experiment.set("batch", {});
    b.set("global", number(batch.train));
    b.set("micro", number(batch.micro));
    const Value* tokens =
        docs_.argument({"max_seq_length", "max_seq_len", "seq_length", "block_size", "cutoff_len",
                        "model_max_length", "max_length"});
    if (!tokens) {
      job::take_models_sequence(source_, out_);
      return;
    }
    b.set("sequence", number(config::as_int(*tokens, 1, 1'000'000'000)));
    training(batch.train, config::as_int(*tokens, 1, 1'000'000'000));
  }

  void training(int64_t sequences, int64_t tokens) {
    const Value* steps = docs_.argument({"max_steps"});
    const int64_t count = steps ? config::as_int(*steps, -1, 1'000'000'000) : 0;
    if (count < 1) return;
    const double all =
        static_cast<double>(count) * static_cast<double>(sequences) * static_cast<double>(tokens);
    out_.experiment.set("training", {}).set("tokens", scalar(fmt::format("{:.0f}", all)));
  }

  const job::Source& source_;
  job::Import out_;
  Documents docs_;
  GivenBatch given_;
  Degrees degrees_;
};

}  // namespace

job::Import import_job(const job::Source& source) { return JobFile(source).run(); }

}  // namespace pipewright::deepspeed
