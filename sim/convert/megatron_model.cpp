#include "convert/megatron_model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/megatron_value.hpp"

namespace pipewright {
namespace {

using config::number;
using config::scalar;
using config::Value;

class ModelTranslation {
 public:
  ModelTranslation(MegatronFlags& flags, const MegatronDegrees& degrees,
                   std::vector<std::string>& assumed)
      : flags_(flags), degrees_(degrees), assumed_(assumed) {}

  Value run() {
    Value t;
    const int64_t hidden = required("hidden-size");
    t.set("layers", number(degrees_.layers));
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

 private:
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
        assumed_.push_back("the vocabulary is in the tokenizer's files: GPT-2's 50257");
    }
    const int64_t unit = flags_.number("make-vocab-size-divisible-by", 128) * degrees_.tensor;
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
        used == static_cast<int>(pattern.size()) && dense >= 0 && dense <= degrees_.layers) {
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

  MegatronFlags& flags_;
  const MegatronDegrees& degrees_;
  std::vector<std::string>& assumed_;
};

}  // namespace

Value megatron_model(MegatronFlags& flags, const MegatronDegrees& degrees,
                     std::vector<std::string>& assumed) {
  return ModelTranslation(flags, degrees, assumed).run();
}

}  // namespace pipewright
