// The inverse of translation.cpp. The vocabulary goes out as a tokenizer without files: its size is
// one less than the multiple that it is padded to, which gives the same number whether the release
// counts a token more (until February 2026) or not.
#include "convert/megatron/writer.hpp"

#include <fmt/format.h>

#include <numeric>

#include "convert/job/job.hpp"
#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

class ScriptWriter {
 public:
  explicit ScriptWriter(const Experiment& experiment)
      : e_(experiment), shape_(experiment.model_or_fail().transformer) {}

  std::string run() {
    model();
    experts();
    latent();
    parallel();
    stages();
    batch();
    precision();
    optimizer();
    recompute();
    overlap();
    return head() + text_ + ")\n\n" + launch();
  }

 private:
  void add(std::string_view name) { text_ += fmt::format("    --{}\n", name); }
  template <class T>
  void add(std::string_view name, const T& value) {
    text_ += fmt::format("    --{} {}\n", name, value);
  }

  std::string head() const { return "#!/bin/bash\nARGS=(\n"; }

  int64_t world() const {
    const Parallel& p = e_.parallel;
    return int64_t{p.tensor} * p.pipeline * p.context * std::max(data_, 1);
  }

  std::string launch() const {
    const int64_t devices = world(), per_node = std::gcd(devices, int64_t{8});
    return fmt::format("torchrun --nnodes {} --nproc-per-node {} {} \"${{ARGS[@]}}\" \"$@\"\n",
                       devices / per_node, per_node,
                       shape_.encoder ? "pretrain_bert.py" : "pretrain_gpt.py");
  }

  void model() {
    add("num-layers", shape_.layers);
    add("hidden-size", shape_.hidden);
    add("num-attention-heads", shape_.attention.heads);
    if (!shape_.attention.latent && shape_.attention.kv_heads != shape_.attention.heads) {
      add("group-query-attention");
      add("num-query-groups", shape_.attention.kv_heads);
    }
    if (!shape_.attention.latent &&
        shape_.attention.head_dim * shape_.attention.heads != shape_.hidden)
      add("kv-channels", shape_.attention.head_dim);
    add("ffn-hidden-size", shape_.ffn);
    if (shape_.gated) add("swiglu");
    vocabulary();
    if (!shape_.ends.tied) add("untie-embeddings-and-output-weights");
    static constexpr const char* positions[] = {"learned_absolute", "rope", "none", "none"};
    add("position-embedding-type", positions[static_cast<size_t>(shape_.positions)]);
    add("max-position-embeddings", sequence());
    add("normalization", shape_.norm == Norm::layernorm ? "LayerNorm" : "RMSNorm");
    if (!shape_.bias) add("disable-bias-linear");
    for (const char* name : {"attention-dropout", "hidden-dropout"})
      add(name, shape_.dropout ? "0.1" : "0.0");
    if (shape_.attention.window > 0) {
      add("window-size", fmt::format("'({},0)'", shape_.attention.window - 1));
      if (shape_.attention.window_every == 2) add("window-attn-skip-freq", 2);
    }
  }

  void vocabulary() {
    int64_t unit = 128;
    while (unit > 1 && shape_.ends.vocabulary % (unit * e_.parallel.tensor) != 0) unit /= 2;
    add("tokenizer-type", "NullTokenizer");
    add("vocab-size", shape_.ends.vocabulary - 1);
    add("make-vocab-size-divisible-by", unit);
  }

  void experts() {
    if (!shape_.experts) return;
    const Experts& x = *shape_.experts;
    add("num-experts", x.count);
    add("moe-router-topk", x.active);
    add("moe-ffn-hidden-size", x.ffn);
    if (x.shared > 0) add("moe-shared-expert-intermediate-size", x.shared * x.ffn);
    if (x.groups > 1) {
      add("moe-router-num-groups", x.groups);
      add("moe-router-group-topk", x.active_groups);
    }
    if (x.capacity > 0) add("moe-expert-capacity-factor", x.capacity);
    if (x.dense > 0)
      add("moe-layer-freq", fmt::format("'([0]*{}+[1]*{})'", x.dense, shape_.layers - x.dense));
    else if (x.every > 1)
      add("moe-layer-freq", x.every);
    if (e_.parallel.expert == 1) return;
    add("expert-model-parallel-size", e_.parallel.expert);
    add("expert-tensor-parallel-size", 1);
    const bool once = !e_.dispatch.each_copy;
    add("moe-token-dispatcher-type", once ? "flex" : "alltoall");
    if (once) add("moe-enable-deepep");
  }

  void latent() {
    if (!shape_.attention.latent) return;
    const LatentAttention& l = *shape_.attention.latent;
    add("multi-latent-attention");
    if (l.query > 0) add("q-lora-rank", l.query);
    add("kv-lora-rank", l.key_value);
    add("qk-head-dim", l.nope);
    add("qk-pos-emb-head-dim", l.rope);
    add("v-head-dim", l.value);
  }

  void parallel() {
    const Parallel& p = e_.parallel;
    add("tensor-model-parallel-size", p.tensor);
    add("pipeline-model-parallel-size", p.pipeline);
    if (p.context > 1) {
      add("context-parallel-size", p.context);
      static constexpr const char* exchanges[] = {"p2p", "a2a", "all_gather"};
      add("cp-comm-type", exchanges[static_cast<size_t>(p.context_options.exchange)]);
    }
    if (p.sequence) add("sequence-parallel");
    if (p.zero > 0) add("use-distributed-optimizer");
    if (p.zero > 1) {
      add("use-megatron-fsdp");
      add("data-parallel-sharding-strategy", p.zero == 2 ? "optim_grads" : "optim_grads_params");
    }
    const config::Value* placement = e_.document.find("placement");
    if (placement && placement->text == "tp-cp-ep-pp-dp") add("use-tp-pp-dp-mapping");
  }

  /// Stages that are not alike are a layout.
  void stages() {
    const int v = e_.parallel.virtual_stages;
    if (e_.partition.kind != PartitionOptions::Kind::counts) {
      if (v > 1) add("num-virtual-stages-per-pipeline-rank", v);
      return;
    }
    const std::vector<int64_t>& counts = e_.partition.counts;
    if (counts.size() < 2) return;
    std::string layout = "E";
    for (size_t i = 0; i < counts.size(); ++i) {
      if (i > 0) layout += '|';
      if (counts[i] > 0) layout += fmt::format("t*{}", counts[i]);
    }
    add("pipeline-model-parallel-layout", "'" + layout + "L'");
  }

  int64_t sequence() const {
    return e_.batch.sequence > 0 ? e_.batch.sequence : e_.model_or_fail().sequence.value_or(0);
  }

  void batch() {
    add("micro-batch-size", e_.batch.micro);
    add("global-batch-size", e_.batch.global);
    add("seq-length", sequence());
    if (!e_.training) return;
    add("train-samples",
        fmt::format("{:.0f}", e_.training->tokens / static_cast<double>(sequence())));
  }

  void precision() {
    const DType type = e_.precision;
    if (type == DType::fp16) add("fp16");
    if (type == DType::bf16 || type == DType::fp8 || type == DType::nvfp4) add("bf16");
    if (type == DType::nvfp4) {
      add("fp4-format", "e2m1");
      add("fp4-recipe", "nvfp4");
    }
    if (type == DType::fp8) fp8();
    if (type == DType::fp16 && e_.gradients == DType::fp32)
      add("accumulate-allreduce-grads-in-fp32");
    if (type != DType::fp16 && e_.gradients == DType::bf16) add("grad-reduce-in-bf16");
  }

  void fp8() {
    static constexpr const char* recipes[] = {"delayed", "tensorwise", "blockwise", "mxfp8"};
    const auto recipe = static_cast<size_t>(e_.scaling);
    add("fp8-format", recipe < 2 ? "hybrid" : "e4m3");
    add("fp8-recipe", recipes[recipe]);
    const config::Value* precision = e_.document.find("precision");
    const config::Value* amax =
        precision && precision->is_map() ? precision->find("amax") : nullptr;
    if (amax && amax->text == "tensor") add("tp-only-amax-red");
  }

  void optimizer() {
    const bool sgd = e_.optimizer == Optimizer::sgd || e_.optimizer == Optimizer::momentum;
    add("optimizer", sgd ? "sgd" : "adam");
    if (sgd) add("sgd-momentum", e_.optimizer == Optimizer::sgd ? "0.0" : "0.9");
    if (e_.offload.optimizer) add("optimizer-cpu-offload");
    if (const config::Value* attention = e_.document.find("attention");
        attention && attention->text == "unfused")
      add("attention-backend", "unfused");
  }

  void recompute() {
    const config::Value* value = e_.document.find("recompute");
    if (!value) return;
    if (value->text == "full" || value->text == "selective") {
      add("recompute-granularity", value->text);
      if (value->text == "full") add("recompute-method", "uniform\n    --recompute-num-layers 1");
      return;
    }
    if (const config::Value* layers = value->find("layers")) {
      add("recompute-granularity", "full");
      add("recompute-method", "block");
      add("recompute-num-layers", layers->text);
    } else if (const config::Value* parts = value->find("ops")) {
      add("recompute-granularity", "selective");
      std::string modules;
      for (const config::Value& part : parts->items)
        modules += (modules.empty() ? "" : " ") + module_of(part.text);
      add("recompute-modules", modules);
    }
  }

  std::string module_of(const std::string& part) const {
    if (part == "attention") return "core_attn";
    return part == "mlp" && shape_.experts ? "moe" : part;
  }

  void overlap() {
    if (e_.overlap.data) add("overlap-grad-reduce");
    const int64_t width = e_.gradients == DType::fp32 ? 4 : 2;
    if (e_.data.bucket) add("ddp-bucket-size", e_.data.bucket->count / width);
    if (e_.overlap.tensor.kind == TensorOverlap::chunked) add("tp-comm-overlap");
    if (e_.overlap.expert == ExpertOverlap::pairs) add("overlap-moe-expert-parallel-comm");
    const bool together = e_.parallel.virtual_stages > 1;
    if (together && e_.overlap.p2p.mode == SendMode::rendezvous)
      add("no-overlap-p2p-communication");
  }

  const Experiment& e_;
  const TransformerShape& shape_;
  int data_ = e_.parallel.data;
  std::string text_;
};

}  // namespace

std::string write_script(const Experiment& experiment) { return ScriptWriter(experiment).run(); }

}  // namespace pipewright::megatron
