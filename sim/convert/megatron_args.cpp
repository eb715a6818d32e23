#include "convert/megatron_args.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/emit.hpp"
#include "convert/megatron_flags.hpp"
#include "convert/megatron_precision.hpp"
#include "interop/megatron_layout.hpp"

namespace pipewright {
namespace {

using config::number;
using config::scalar;
using config::Value;

Value truth(bool value) { return scalar(value ? "true" : "false"); }

Value list_of(const std::vector<int>& numbers) {
  Value list;
  list.kind = Value::Kind::list;
  for (const int n : numbers) list.items.push_back(number(n));
  return list;
}

class Translation {
 public:
  Translation(std::string_view text, const std::string& file) : flags_(text, file) {}

  MegatronImport run() {
    read_degrees();
    out_.experiment.set("model", {}).set("transformer", transformer());
    out_.experiment.set("cluster", cluster());
    out_.experiment.set("parallel", parallel());
    out_.experiment.set("batch", batch());
    schedule();
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
  void read_degrees() {
    tensor_ = flags_.number("tensor-model-parallel-size", 1);
    pipeline_ = flags_.number("pipeline-model-parallel-size", 1);
    context_ = flags_.number("context-parallel-size", 1);
    layers_ = flags_.number("num-layers", 0);
    const int64_t model = tensor_ * pipeline_ * context_;
    const int64_t nodes = flags_.number("nnodes", 0, 0);
    world_ = flags_.number("nproc-per-node", 8) * std::max<int64_t>(nodes, 1);
    if (nodes == 0) {
      world_ = (model + 7) / 8 * 8;
      out_.assumed.push_back(
          fmt::format("nothing says how many devices there are: {}, in whole nodes", world_));
    }
    if (world_ % model != 0) {
      flags_.fail("num-layers", fmt::format("is of a model on tensor {} x pipeline {} x context {} "
                                            "devices, which do not divide the {} there are",
                                            tensor_, pipeline_, context_, world_));
    }
    data_ = world_ / model;
  }

  Value transformer() {
    Value t;
    const int64_t hidden = required("hidden-size");
    t.set("layers", number(layers_));
    t.set("hidden", number(hidden));
    t.set("heads", number(required("num-attention-heads")));
    const bool grouped = flags_.has("group-query-attention");
    const int64_t groups = flags_.number("num-query-groups", 1);
    if (grouped) t.set("kv_heads", number(groups));
    if (flags_.has("kv-channels")) t.set("head_dim", number(flags_.number("kv-channels", 0)));
    const bool gated = flags_.has("swiglu");
    t.set("ffn", number(flags_.number("ffn-hidden-size",
                                      gated ? hidden * 4 * 2 / 3 / 64 * 64 : 4 * hidden)));
    t.set("gated", truth(gated));
    t.set("vocabulary", number(vocabulary()));
    t.set("tied_embeddings", truth(!flags_.has("untie-embeddings-and-output-weights")));
    t.set("positions", scalar(positions()));
    t.set("norm", scalar(normalization()));
    t.set("bias", truth(!flags_.has("disable-bias-linear")));
    const double dropout =
        std::max(flags_.real("attention-dropout", 0.1), flags_.real("hidden-dropout", 0.1));
    t.set("dropout", truth(dropout > 0));
    if (flags_.has("num-experts")) t.set("experts", experts());
    if (flags_.has("multi-latent-attention")) t.set("latent", latent());
    return t;
  }

  int64_t required(const std::string& name) {
    if (!flags_.has(name))
      flags_.fail("num-layers", fmt::format("is not enough: --{} is missing", name));
    return flags_.number(name, 0);
  }

  /// Padded as Megatron does: to a multiple of 128 on every tensor rank.
  int64_t vocabulary() {
    if (flags_.has("padded-vocab-size")) return flags_.number("padded-vocab-size", 0);
    int64_t size = flags_.number("vocab-size", 0, 0);
    const std::string tokenizer = flags_.text("tokenizer-type").value_or("");
    if (size == 0) {
      size = 50257;
      if (tokenizer != "GPT2BPETokenizer")
        out_.assumed.push_back("the vocabulary is in the tokenizer's files: GPT-2's 50257");
    }
    const int64_t unit = flags_.number("make-vocab-size-divisible-by", 128) * tensor_;
    return (size + unit - 1) / unit * unit;
  }

  std::string positions() {
    if (flags_.has("use-rotary-position-embeddings")) return "rope";
    const std::string type = flags_.text("position-embedding-type").value_or("learned_absolute");
    if (type == "learned_absolute") return "learned";
    if (type == "rope" || type == "yarn" || type == "mrope") return "rope";
    if (type == "none") return "none";
    flags_.fail("position-embedding-type",
                fmt::format("is learned_absolute, rope or none, not '{}'", type));
  }

  std::string normalization() {
    const std::string kind = flags_.text("normalization").value_or("LayerNorm");
    if (kind == "LayerNorm") return "layernorm";
    if (kind == "RMSNorm") return "rmsnorm";
    flags_.fail("normalization", fmt::format("is LayerNorm or RMSNorm, not '{}'", kind));
  }

  Value experts() {
    Value e;
    const int64_t ffn = flags_.number("ffn-hidden-size", 0);
    const int64_t width = flags_.number("moe-ffn-hidden-size", ffn);
    e.set("count", number(flags_.number("num-experts", 1)));
    e.set("active", number(flags_.number("moe-router-topk", 2)));
    if (width > 0) e.set("ffn", number(width));
    const int64_t shared = flags_.number("moe-shared-expert-intermediate-size", 0, 0);
    if (shared > 0 && width > 0) {
      if (shared % width != 0) {
        flags_.fail("moe-shared-expert-intermediate-size",
                    fmt::format("is {} times the {} of an expert: only whole experts can be "
                                "simulated",
                                static_cast<double>(shared) / static_cast<double>(width), width));
      }
      e.set("shared", number(shared / width));
    }
    moe_layers(e);
    return e;
  }

  /// --moe-layer-freq: every n-th layer, or "([0]*3+[1]*58)", where the first ones are dense.
  void moe_layers(Value& e) {
    const std::string pattern = flags_.text("moe-layer-freq").value_or("1");
    int dense = 0, moe = 0, used = 0;
    if (std::sscanf(pattern.c_str(), "([0]*%d+[1]*%d)%n", &dense, &moe, &used) == 2 &&
        used == static_cast<int>(pattern.size()) && dense >= 0 && dense <= layers_) {
      e.set("dense", number(dense));
      return;
    }
    if (std::all_of(pattern.begin(), pattern.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      e.set("every", number(flags_.number("moe-layer-freq", 1)));
      return;
    }
    flags_.fail("moe-layer-freq",
                fmt::format("is a number or a pattern such as ([0]*3+[1]*58), not '{}'", pattern));
  }

  Value latent() {
    Value l;
    l.set("query", number(flags_.number("q-lora-rank", 0, 0)));
    l.set("key_value", number(flags_.number("kv-lora-rank", 32)));
    l.set("nope", number(flags_.number("qk-head-dim", 128)));
    l.set("rope", number(flags_.number("qk-pos-emb-head-dim", 64)));
    l.set("value", number(flags_.number("v-head-dim", 128)));
    return l;
  }

  Value cluster() {
    out_.assumed.push_back("the cluster is a placeholder: DGX H100 over NDR InfiniBand");
    Value c;
    const int64_t nodes = (world_ + 7) / 8;
    c.set("node", scalar("dgx-h100"));
    c.set("nodes", number(nodes));
    if (world_ % 8 != 0) c.set("devices", number(world_));
    Value& fabric = c.set("fabric", {});
    fabric.set("kind", scalar("fat-tree"));
    fabric.set("link", scalar("ndr"));
    fabric.set("nics", number(8));
    return c;
  }

  int zero() {
    const bool fully = flags_.has("use-torch-fsdp2") | flags_.has("use-custom-fsdp") |
                       flags_.has("use-megatron-fsdp");
    const bool optimizer = flags_.has("use-distributed-optimizer");
    const std::string strategy = flags_.text("data-parallel-sharding-strategy").value_or("");
    if (strategy == "optim_grads") return 2;
    if (strategy == "optim_grads_params") return 3;
    return fully ? 3 : optimizer ? 1 : 0;
  }

  Value parallel() {
    Value p;
    p.set("tensor", number(tensor_));
    p.set("pipeline", number(pipeline_));
    p.set("data", number(data_));
    virtual_ = virtual_stages();
    if (virtual_ > 1) p.set("virtual", number(virtual_));
    p.set("sequence", truth(flags_.has("sequence-parallel") && tensor_ > 1));
    p.set("context", number(context_));
    p.set("expert", number(flags_.number("expert-model-parallel-size", 1)));
    p.set("zero", number(zero()));
    return p;
  }

  int64_t virtual_stages() {
    const std::string layout = "pipeline-model-parallel-layout";
    if (const auto text = flags_.text(layout)) {
      const std::vector<int> stages = read_megatron_layout(*text, flags_.where(layout));
      const auto count = static_cast<int64_t>(stages.size());
      if (count % pipeline_ != 0)
        flags_.fail(layout, fmt::format("has {} stages, which {} pipeline ranks do not divide",
                                        count, pipeline_));
      out_.experiment.set("partition", list_of(stages));
      return count / pipeline_;
    }
    if (flags_.has("num-virtual-stages-per-pipeline-rank"))
      return flags_.number("num-virtual-stages-per-pipeline-rank", 1);
    const int64_t each = flags_.number("num-layers-per-virtual-pipeline-stage", 0, 0);
    if (each > 0) {
      if (layers_ % (pipeline_ * each) != 0)
        flags_.fail(
            "num-layers-per-virtual-pipeline-stage",
            fmt::format("{} x {} ranks does not divide {} layers", each, pipeline_, layers_));
      return layers_ / pipeline_ / each;
    }
    uneven_ends();
    return 1;
  }

  void uneven_ends() {
    const int64_t first = flags_.number("decoder-first-pipeline-num-layers", 0, 0);
    const int64_t last = flags_.number("decoder-last-pipeline-num-layers", 0, 0);
    if ((first == 0 && last == 0) || pipeline_ < 2) return;
    const int64_t inner = pipeline_ - (first > 0) - (last > 0), rest = layers_ - first - last;
    const char* name =
        first > 0 ? "decoder-first-pipeline-num-layers" : "decoder-last-pipeline-num-layers";
    if (rest < 0 || (inner > 0 ? rest % inner != 0 : rest != 0) || pipeline_ > 65536)
      flags_.fail(name, fmt::format("leaves {} layers for {} other ranks", rest, inner));
    std::vector<int> stages(static_cast<size_t>(pipeline_),
                            inner > 0 ? static_cast<int>(rest / inner) : 0);
    if (first > 0) stages.front() = static_cast<int>(first);
    if (last > 0) stages.back() = static_cast<int>(last);
    out_.experiment.set("partition", list_of(stages));
  }

  Value batch() {
    Value b;
    micro_ = flags_.number("micro-batch-size", 1);
    global_ = flags_.number("global-batch-size", micro_ * data_);
    sequence_ = flags_.number("seq-length", 0, 0);
    if (sequence_ == 0) sequence_ = flags_.number("encoder-seq-length", 0, 0);
    if (sequence_ == 0) flags_.fail("num-layers", "is not enough: --seq-length is missing");
    b.set("global", number(global_));
    b.set("micro", number(micro_));
    b.set("sequence", number(sequence_));
    return b;
  }

  void schedule() {
    out_.experiment.set("schedule", scalar(virtual_ > 1 ? "interleaved-1f1b" : "1f1b"));
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
    const bool sharded = zero() == 3;  // where others have PyTorch's kernels
    out_.experiment.set("attention", scalar(unfused ? "unfused" : sharded ? "flash3" : "flash"));
    if (sharded) out_.experiment.set("loss", scalar("fp32"));
    if (sharded && unfused) out_.experiment.set("framework", scalar("megatron"));
  }

  void overlap() {
    Value o;
    const bool together = virtual_ > 1 && !flags_.has("no-overlap-p2p-communication");
    o.set("p2p", scalar(pipeline_ == 1 || together ? "async" : "rendezvous"));
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
    for (const char* name : {"tp-comm-overlap",
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
                             "account-for-loss-in-pipeline-split"}) {
      if (!flags_.has(name)) continue;
      const Where place = flags_.where(name);
      out_.not_simulated.push_back(fmt::format("--{} (line {})", name, place.line));
    }
  }

  MegatronFlags flags_;
  MegatronImport out_;
  int64_t tensor_ = 1, pipeline_ = 1, context_ = 1, data_ = 1, world_ = 1, virtual_ = 1;
  int64_t layers_ = 0, micro_ = 1, global_ = 1, sequence_ = 0;
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
