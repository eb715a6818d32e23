#include "convert/megatron_args.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/emit.hpp"
#include "convert/megatron_model.hpp"
#include "convert/megatron_parallel.hpp"
#include "convert/megatron_precision.hpp"
#include "convert/megatron_value.hpp"

namespace pipewright {
namespace {

using config::number;
using config::scalar;
using config::Value;

/// Arguments that matter for the time of an iteration, but that nothing here simulates.
constexpr const char* that_matter[] = {"tp-comm-overlap",
                                       "mtp-num-layers",
                                       "cpu-offloading",
                                       "optimizer-cpu-offload",
                                       "expert-tensor-parallel-size",
                                       "moe-expert-capacity-factor",
                                       "recompute-modules",
                                       "rampup-batch-size",
                                       "delay-wgrad-compute",
                                       "overlap-moe-expert-parallel-comm",
                                       "hierarchical-context-parallel-sizes",
                                       "num-distributed-optimizer-instances",
                                       "encoder-num-layers",
                                       "decoder-num-layers",
                                       "window-size",
                                       "enable-cuda-graph",
                                       "external-cuda-graph",
                                       "hybrid-override-pattern",
                                       "account-for-embedding-in-pipeline-split",
                                       "account-for-loss-in-pipeline-split"};

class Translation {
 public:
  Translation(std::string_view text, const std::string& file) : flags_(text, file) {}

  MegatronImport run() {
    degrees_ = megatron_degrees(flags_, out_.assumed);
    out_.experiment.set("model", {})
        .set("transformer", megatron_model(flags_, degrees_, out_.assumed));
    out_.experiment.set("cluster", cluster());
    parallel();
    out_.experiment.set("batch", batch());
    out_.experiment.set("schedule", scalar(virtual_ > 1 ? "interleaved-1f1b" : "1f1b"));
    out_.experiment.set("precision", megatron_precision(flags_));
    gradients_and_optimizer();
    recompute();
    attention();
    overlap();
    training();
    note_what_matters();
    out_.unused = flags_.unused();
    return std::move(out_);
  }

 private:
  Value cluster() {
    out_.assumed.push_back("the cluster is a placeholder: DGX H100 over NDR InfiniBand");
    Value c;
    const int64_t nodes = (degrees_.world + 7) / 8;
    c.set("node", scalar("dgx-h100"));
    c.set("nodes", number(nodes));
    if (degrees_.world % 8 != 0) c.set("devices", number(degrees_.world));
    Value& fabric = c.set("fabric", {});
    fabric.set("kind", scalar("fat-tree"));
    fabric.set("link", scalar("ndr"));
    fabric.set("nics", number(8));
    return c;
  }

  void parallel() {
    MegatronParallel parallel = megatron_parallel(flags_, degrees_);
    virtual_ = parallel.virtual_stages;
    if (!parallel.partition.empty()) out_.experiment.set("partition", list_of(parallel.partition));
    out_.experiment.set("parallel", std::move(parallel.parallel));
  }

  Value batch() {
    Value b;
    const int64_t micro = flags_.number("micro-batch-size", 1);
    global_ = flags_.number("global-batch-size", micro * degrees_.data);
    sequence_ = flags_.number("seq-length", 0, 0);
    if (sequence_ == 0) sequence_ = flags_.number("encoder-seq-length", 0, 0);
    if (sequence_ == 0) flags_.fail("num-layers", "is not enough: --seq-length is missing");
    b.set("global", number(global_));
    b.set("micro", number(micro));
    b.set("sequence", number(sequence_));
    return b;
  }

  void gradients_and_optimizer() {
    const bool wide = flags_.has("accumulate-allreduce-grads-in-fp32");
    const bool fp16 = flags_.has("fp16") && !wide;
    out_.experiment.set("gradients", scalar(fp16 ? "fp16" : "fp32"));
    const std::string optimizer = flags_.text("optimizer").value_or("adam");
    if (optimizer != "adam" && optimizer != "sgd")
      flags_.fail("optimizer", fmt::format("is adam or sgd, not '{}'", optimizer));
    out_.experiment.set("optimizer", scalar(optimizer));
  }

  void recompute() {
    std::string granularity = flags_.text("recompute-granularity").value_or("");
    if (flags_.has("recompute-activations")) granularity = "selective";
    if (flags_.has("checkpoint-activations")) granularity = "full";
    const std::string method = flags_.text("recompute-method").value_or("");
    const int64_t layers = flags_.number("recompute-num-layers", 1);
    if (granularity.empty()) return;
    if (granularity != "full" && granularity != "selective")
      flags_.fail("recompute-granularity",
                  fmt::format("is full or selective, not '{}'", granularity));
    Value value = scalar(granularity);
    if (granularity == "full" && method == "block") {
      value = {};
      value.set("layers", number(layers));
    }
    out_.experiment.set("recompute", std::move(value));
  }

  void attention() {
    const std::string backend = flags_.text("attention-backend").value_or("auto");
    flags_.has("use-flash-attn");
    const bool unfused = backend == "unfused" || backend == "local";
    const bool sharded = megatron_zero(flags_) == 3;  // where others have PyTorch's kernels
    out_.experiment.set("attention", scalar(unfused ? "unfused" : sharded ? "flash3" : "flash"));
    if (sharded) out_.experiment.set("loss", scalar("fp32"));
    if (sharded && unfused) out_.experiment.set("framework", scalar("megatron"));
  }

  void overlap() {
    Value o;
    const bool together = virtual_ > 1 && !flags_.has("no-overlap-p2p-communication");
    o.set("p2p", scalar(degrees_.pipeline == 1 || together ? "async" : "rendezvous"));
    o.set("data", truth(flags_.has("overlap-grad-reduce")));
    out_.experiment.set("overlap", std::move(o));
  }

  void training() {
    int64_t samples = flags_.number("train-samples", 0, 0);
    if (samples == 0) samples = flags_.number("train-iters", 0, 0) * global_;
    if (samples == 0) return;
    const double tokens = static_cast<double>(samples) * static_cast<double>(sequence_);
    out_.experiment.set("training", {}).set("tokens", scalar(fmt::format("{:.0f}", tokens)));
  }

  void note_what_matters() {
    for (const char* name : that_matter) {
      if (!flags_.has(name)) continue;
      const Where place = flags_.where(name);
      out_.not_simulated.push_back(fmt::format("--{} (line {})", name, place.line));
    }
  }

  MegatronFlags flags_;
  MegatronImport out_;
  MegatronDegrees degrees_;
  int64_t virtual_ = 1, global_ = 1, sequence_ = 0;
};

/// Comments end with their line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 32 || c == 127; }, ' ');
  return text;
}

}  // namespace

MegatronImport import_megatron(std::string_view text, const std::string& file) {
  return Translation(text, file).run();
}

std::string to_yaml(const MegatronImport& import) {
  std::string text = "# From the arguments of Megatron-LM.\n";
  for (const std::string& line : import.assumed) text += "# assumed: " + one_line(line) + '\n';
  for (const std::string& line : import.not_simulated)
    text += "# matters, but is not simulated: " + one_line(line) + '\n';
  for (const std::string& line : import.unused)
    text += "# does not matter here: " + one_line(line) + '\n';
  return text + config::to_yaml(import.experiment);
}

}  // namespace pipewright
