#include "convert/megatron/translation.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/given_model.hpp"
#include "convert/job/named_node.hpp"
#include "convert/megatron/along.hpp"
#include "convert/megatron/attention.hpp"
#include "convert/megatron/batch.hpp"
#include "convert/megatron/given_sizes.hpp"
#include "convert/megatron/hybrid.hpp"
#include "convert/megatron/launches.hpp"
#include "convert/megatron/model.hpp"
#include "convert/megatron/offload.hpp"
#include "convert/megatron/overlap.hpp"
#include "convert/megatron/parallel.hpp"
#include "convert/megatron/precision.hpp"
#include "convert/megatron/program.hpp"
#include "convert/megatron/read_constants.hpp"
#include "convert/megatron/recompute.hpp"
#include "convert/megatron/variables.hpp"

namespace pipewright::megatron {
namespace {

using config::number;
using config::scalar;
using config::Value;

class Translation {
 public:
  Translation(const job::Launch& launch, const job::Devices& devices, const job::Source& source,
              const std::optional<Value>& transformer)
      : source_(source),
        program_(program_of(launch, source, out_)),
        flags_(launch, source, out_),
        transformer_(transformer),
        variables_(launch.variables) {
    degrees_ = read_degrees(flags_, devices);
  }

  job::Import run() {
    out_.from = "the arguments of Megatron-LM";
    checkpoint();
    Value& e = out_.experiment;
    degrees_.layers = layers();
    Value transformer = model();
    const Value constants = read_constants(flags_, transformer);
    Value& whole = e.set("model", {});
    whole.set("transformer", std::move(transformer));
    set_constants(constants, whole);
    const Value precision = read_precision(flags_);
    cluster(precision);
    e.set("framework", scalar("megatron"));
    parallel();
    e.set("batch", batch());
    schedule();
    e.set("precision", precision);
    gradients();
    optimizer();
    if (Value recompute = read_recompute(flags_, transformer_.value_or(Value()));
        !recompute.is_null())
      e.set("recompute", std::move(recompute));
    if (Value launches = read_launches(flags_, transformer_.value_or(Value())); !launches.is_null())
      e.set("launches", std::move(launches));
    out_.experiment.set("attention", scalar(read_attention(flags_, program_ != Program::list,
                                                           attention_backend_of(variables_))));
    loss();
    read_overlap(flags_, degrees_, virtual_ > 1, program_ == Program::list);
    read_dispatch(flags_);
    training();
    if (transformer_) {
      accept_given_sizes(flags_, *transformer_);
      flags_.refuse_unused("model.", "the model is given beside the job");
    }
    flags_.review();
    if (!flags_.is_document()) carry();
    return std::move(out_);
  }

 private:
  Value model() {
    if (!transformer_) return read_model(flags_, degrees_, program_);
    Value transformer = *transformer_;
    transformer.set("layers", number(degrees_.layers));
    if (flags_.has("mtp-num-layers"))
      transformer.set("predict", number(flags_.number("mtp-num-layers", 0, 0)));
    take_dropout(flags_, transformer);
    take_padding(flags_, degrees_.tensor, transformer);
    return transformer;
  }

  void carry() {
    Value along = arguments_along(flags_);
    const std::string attention = attention_backend_of(variables_);
    if (!attention.empty() && !along.find("attention-backend"))
      along.set("attention-backend", scalar(attention));
    if (Value variables = variables_along(variables_); !variables.is_null())
      along.set(variables_key, std::move(variables));
    if (!along.is_null()) out_.carried.set(along_format, std::move(along));
  }

  /// What the arguments say holds over what the given model says.
  void set_constants(const Value& said, Value& model) {
    Value constants = transformer_ ? job::given_constants(source_) : Value{};
    for (const config::Entry& entry : said.entries) constants.set(entry.key, entry.value);
    if (!constants.is_null()) model.set("constants", std::move(constants));
  }

  /// Hopper has neither MXFP8 nor NVFP4.
  void cluster(const Value& precision) {
    job::assume_cluster(out_, source_, degrees_.world, degrees_.per_node);
    if (const auto node = job::named_node(source_); node && node->has_blackwell) return;
    const Value* format = precision.find("fp8");
    const bool is_scaled = format && format->text == "mxfp8";
    if (!is_scaled && precision.text != "nvfp4") return;
    out_.experiment.find("cluster")->set("node", scalar("dgx-b200"));
    out_.assumed.back() = fmt::format(
        "the job does not say its cluster: DGX B200 over NDR InfiniBand is assumed, as no earlier "
        "device of NVIDIA has {}",
        is_scaled ? "MXFP8" : "NVFP4");
  }

  /// Sizes of a checkpoint are known only where the user names its model.
  void checkpoint() {
    if (!flags_.has("use-checkpoint-args")) return;
    if (!transformer_)
      flags_.refuse("use-checkpoint-args",
                    "cannot be said: sizes are in the checkpoint; --model NAME gives them, a name "
                    "of the catalogue or a Hugging Face config.json");
    else
      out_.assumed.push_back(flags_.named("use-checkpoint-args") +
                             ": the checkpoint has the sizes of the model that is given");
  }

  int64_t layers() {
    const bool can_be_hybrid = program_ == Program::list || program_ == Program::hybrid;
    if (!transformer_ && can_be_hybrid)
      degrees_.hybrid = read_hybrid(flags_, program_ == Program::hybrid);
    if (degrees_.hybrid) return std::ssize(degrees_.hybrid->layers);
    if (!can_be_hybrid) refuse_hybrid();
    for (const char* name : {"num-layers", "encoder-num-layers"})
      if (flags_.has(name)) return flags_.number(name, 0);
    if (transformer_) return config::as_int(*transformer_->find("layers"), 1, 1'000'000);
    flags_.miss("num-layers");
  }

  void refuse_hybrid() {
    for (const char* name : {"hybrid-layer-pattern", "hybrid-override-pattern"})
      if (flags_.has(name))
        flags_.refuse(name, "cannot be said of a program without hybrid models");
  }

  void parallel() {
    Parallelism parallel = read_parallel(flags_, degrees_);
    virtual_ = parallel.virtual_stages;
    if (!parallel.layout.empty())
      out_.experiment.set("partition", scalar(parallel.layout));
    else if (!parallel.partition.empty())
      out_.experiment.set("partition", job::list_of(parallel.partition));
    out_.experiment.set("parallel", std::move(parallel.parallel));
    if (flags_.has("use-tp-pp-dp-mapping"))
      out_.experiment.set("placement", scalar("tp-cp-ep-pp-dp"));
  }

  Value batch() {
    batch_ = read_batch(flags_, degrees_);
    Value b;
    b.set("global", number(batch_.global));
    b.set("micro", number(batch_.micro));
    b.set("sequence", number(batch_.sequence));
    return b;
  }

  void schedule() {
    const int64_t group = flags_.number("microbatch-group-size-per-virtual-pipeline-stage", 0, 0);
    if (virtual_ == 1 || group == 0 || group == degrees_.pipeline) {
      out_.experiment.set("schedule", scalar(virtual_ > 1 ? "interleaved-1f1b" : "1f1b"));
      return;
    }
    Value& schedule = out_.experiment.set("schedule", {});
    schedule.set("name", scalar("interleaved-1f1b"));
    schedule.set("group", number(group));
  }

  /// Under bf16 gradients are fp32 unless --grad-reduce-in-bf16 says otherwise.
  void gradients() {
    const bool reduces_wide = flags_.has("fp32-allreduce");
    const bool wide = flags_.has("accumulate-allreduce-grads-in-fp32") || reduces_wide;
    const bool fp16 = flags_.has("fp16") && !wide;
    const bool bf16 = flags_.has("bf16") && flags_.has("grad-reduce-in-bf16");
    const std::string main = flags_.text("main-grads-dtype").value_or("fp32");
    if (main != "fp32" && main != "bf16")
      flags_.refuse("main-grads-dtype", fmt::format("{} cannot be said", main));
    const bool narrow = bf16 || main == "bf16";
    out_.experiment.set("gradients", scalar(fp16 ? "fp16" : narrow ? "bf16" : "fp32"));
  }

  void optimizer() {
    const std::string optimizer = flags_.text("optimizer").value_or("adam");
    const bool has_momentum = flags_.real("sgd-momentum", 0.9) > 0;
    if (optimizer == "sgd") {
      out_.experiment.set("optimizer", scalar(has_momentum ? "momentum" : "sgd"));
    } else {
      const bool muon = optimizer == "muon" || optimizer == "dist_muon";
      if (optimizer != "adam" && optimizer != "soap" && !muon)
        flags_.refuse("optimizer",
                      fmt::format("{} cannot be said: it is adam, sgd, muon or soap", optimizer));
      const char* other = optimizer == "soap" ? "soap" : "adam";
      out_.experiment.set("optimizer", scalar(muon ? "muon" : other));
    }
    stored_formats();
    optimizer_formats();
    Value offload = read_offload(flags_);
    if (!offload.is_null()) out_.experiment.set("offload", std::move(offload));
  }

  /// What weights and activations of fp8 are kept in.
  void stored_formats() {
    const Value& precision = *out_.experiment.find("precision");
    const bool is_fp8 = precision.is_map() || precision.text == "fp8";
    const bool gathers = flags_.has("fp8-param-gather");
    const bool weights = flags_.has("fp8-param") || gathers;
    if (is_fp8 && weights) out_.experiment.set("weights", scalar("fp8"));
    if (flags_.has("activation-func-fp8-input-store"))
      out_.experiment.set("kept", {}).set("activation_inputs", scalar("fp8"));
  }

  /// Transformer Engine's loss leaves the gradient in place of the logits, which stay in 16 bits
  /// (its common/triton/cross_entropy.py).
  void loss() {
    const bool is_fused = flags_.has("cross-entropy-loss-fusion");
    const std::string by = flags_.text("cross-entropy-fusion-impl").value_or("native");
    if (is_fused && by == "te") out_.experiment.set("loss", scalar("fused"));
  }

  /// The precision-aware optimizer keeps of bf16 weights what they lack of fp32 (Megatron-Core's
  /// optimizer_config.py, store_param_remainders).
  void optimizer_formats() {
    const std::string first = flags_.text("exp-avg-dtype").value_or("fp32");
    const std::string second = flags_.text("exp-avg-sq-dtype").value_or("fp32");
    if (!flags_.has("use-precision-aware-optimizer")) return;
    if (first != second || first == "fp16")
      flags_.refuse("exp-avg-dtype", fmt::format("moments in {} and {} cannot be said: they are "
                                                 "both fp32, both bf16 or both fp8",
                                                 first, second));
    else if (first != "fp32")
      out_.experiment.set("moments", scalar(first));
    const bool is_offloaded = flags_.has("optimizer-cpu-offload");  // which asks for it
    if (flags_.has("bf16") && !is_offloaded && !out_.experiment.find("weights"))
      out_.experiment.set("master_weights", scalar("remainders"));
  }

  void training() {
    auto samples = static_cast<double>(flags_.number("train-samples", 0, 0));
    if (samples == 0)
      samples = static_cast<double>(flags_.number("train-iters", 0, 0)) *
                static_cast<double>(batch_.global);
    flags_.has("max-position-embeddings");
    double tokens = samples * static_cast<double>(batch_.sequence);
    // Of Megatron-DeepSpeed, which ends with what comes first.
    if (const int64_t most = flags_.number("train-tokens", 0, 0); most > 0)
      tokens = tokens > 0 ? std::min(tokens, static_cast<double>(most)) : static_cast<double>(most);
    if (tokens == 0) return;
    out_.experiment.set("training", {}).set("tokens", scalar(fmt::format("{:.0f}", tokens)));
  }

  job::Import out_;
  const job::Source& source_;
  Program program_;
  Flags flags_;
  const std::optional<Value>& transformer_;
  const std::map<std::string, job::Word>& variables_;  ///< of the environment
  Degrees degrees_;
  int64_t virtual_ = 1;
  Batch batch_;
};

}  // namespace

job::Import translate(const job::Launch& launch, const job::Devices& devices,
                      const job::Source& source, const std::optional<Value>& transformer) {
  return Translation(launch, devices, source, transformer).run();
}

}  // namespace pipewright::megatron
