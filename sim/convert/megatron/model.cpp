#include "convert/megatron/model.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/megatron/experts.hpp"
#include "convert/megatron/gated_delta.hpp"
#include "convert/megatron/hybrid.hpp"
#include "convert/megatron/indexer.hpp"
#include "convert/megatron/layer_pattern.hpp"
#include "convert/megatron/vocabulary.hpp"
#include "interop/words.hpp"

namespace pipewright::megatron {
namespace {

using config::number;
using config::scalar;
using config::Value;

class ModelReader {
 public:
  ModelReader(Flags& flags, const Degrees& degrees, Program program)
      : flags_(flags), degrees_(degrees), program_(program) {}

  Value run() {
    Value t;
    hidden_ = required("hidden-size");
    const int64_t heads = required("num-attention-heads");
    t.set("layers", number(degrees_.layers));
    t.set("hidden", number(hidden_));
    t.set("heads", number(heads));
    if (flags_.has("group-query-attention") && !flags_.has("multi-latent-attention"))
      t.set("kv_heads", number(flags_.number("num-query-groups", 1)));
    if (flags_.text("attention-head-type") == "multiquery") t.set("kv_heads", number(1));
    if (flags_.has("kv-channels") && !flags_.has("multi-latent-attention"))
      t.set("head_dim", number(flags_.number("kv-channels", 0)));
    mlp(t);
    t.set("vocabulary", number(vocabulary(flags_, degrees_.tensor, tokenizer())));
    const bool untied = flags_.has("untie-embeddings-and-output-weights") &&
                        program_ != Program::bert && program_ != Program::t5;
    t.set("tied_embeddings", job::truth(!untied));
    t.set("positions", scalar(positions()));
    t.set("norm", scalar(normalization()));
    t.set("bias", job::truth(!flags_.has("disable-bias-linear")));
    attention(t);
    dropout(t);
    if (has_experts()) read_experts(flags_, degrees_.layers, ffn_, t);
    if (flags_.has("multi-latent-attention")) t.set("latent", latent());
    mixers(t);
    if (program_ == Program::bert) t.set("encoder", job::truth(true));
    if (program_ == Program::t5) decoder(t);
    return t;
  }

 private:
  /// A hybrid model has experts in layers of their own.
  bool has_experts() {
    const bool are_there = flags_.has("num-experts") || flags_.has("num-moe-experts");
    return are_there &&
           (!degrees_.hybrid || degrees_.hybrid->layers.find('E') != std::string::npos);
  }

  /// What mixes tokens in which layers, and what predicts further ones.
  void mixers(Value& t) {
    if (degrees_.hybrid) return set_hybrid(flags_, *degrees_.hybrid, hidden_, t);
    if (asks_gated_delta(flags_))
      read_gated_delta(flags_, degrees_.layers, t);
    else
      read_indexer(flags_, degrees_.layers, t);
    window(t);
    const int64_t modules = flags_.number("mtp-num-layers", 0, 0);
    if (modules > 0) t.set("predict", number(modules));
  }

  int64_t required(const std::string& name) {
    if (!flags_.has(name)) flags_.miss(name);
    return flags_.number(name, 0);
  }

  /// What pretrain_gpt.py and its like take where nobody says a type.
  std::string tokenizer() const {
    if (program_ == Program::list) return {};
    const bool is_text = program_ == Program::gpt || program_ == Program::hybrid;
    return is_text ? "GPT2BPETokenizer" : "BertWordPieceLowerCase";
  }

  void mlp(Value& t) {
    const bool gated =
        flags_.has("swiglu") || flags_.has("quick-geglu") || flags_.has("gated-linear-unit");
    // Without --swiglu the width stays four times the hidden one.
    const int64_t otherwise = flags_.has("swiglu") ? hidden_ * 4 * 2 / 3 / 64 * 64 : 4 * hidden_;
    ffn_ = flags_.number("ffn-hidden-size", std::max<int64_t>(otherwise, 1));
    t.set("ffn", number(ffn_));
    t.set("gated", job::truth(gated));
  }

  /// Norms are those of single heads, with a gain or, of --qk-l2-norm, without one. Attention of
  /// low rank has its own here.
  void attention(Value& t) {
    const bool has_gain = flags_.has("qk-layernorm"), has_none = flags_.has("qk-l2-norm");
    const bool has_bias = flags_.has("add-qkv-bias") && flags_.has("disable-bias-linear");
    const bool has_latent = flags_.has("multi-latent-attention");
    const bool has_sinks = flags_.accept("softmax-type", "learnable");
    flags_.accept("softmax-type", "vanilla");
    const bool has_gate = flags_.has("attention-output-gate");
    if (!has_gain && !has_none && !has_bias && !has_latent && !has_sinks && !has_gate) return;
    if (has_latent) {
      if (has_gate)
        flags_.refuse("attention-output-gate", "cannot be said of attention of low rank");
      if (has_none || has_bias || !has_gain)
        flags_.import().slight.emplace_back(
            "norms and biases of queries and keys: those of low rank are taken to be as "
            "DeepSeek's");
      return;
    }
    Value& attention = t.set("attention", {});
    if (has_gain || has_none) attention.set("norm", scalar(has_none ? "unit" : "head"));
    if (has_bias) attention.set("bias", scalar("inputs"));
    if (has_sinks) attention.set("sinks", job::truth(true));
    if (has_gate) attention.set("gate", job::truth(true));
  }

  void dropout(Value& t) {
    const double most =
        std::max(flags_.real("attention-dropout", 0.1), flags_.real("hidden-dropout", 0.1));
    t.set("dropout", job::truth(most > 0));
  }

  /// --window-size "(left, right)": tokens beside the query itself.
  void window(Value& t) {
    const std::optional<std::string> text = flags_.text("window-size");
    if (!text) return;
    int left = 0, right = 0;
    const bool is_pair = std::sscanf(text->c_str(), "%d,%d", &left, &right) == 2 ||
                         std::sscanf(text->c_str(), "(%d,%d)", &left, &right) == 2 ||
                         std::sscanf(text->c_str(), "(%d, %d)", &left, &right) == 2;
    if (!is_pair || left < 0 || left > 1'000'000'000 || right != 0) {
      flags_.refuse(
          "window-size",
          fmt::format("'{}' cannot be said: only a window to the left is modelled", *text));
      return;
    }
    const std::optional<std::string> skips = flags_.text("window-attn-skip-freq");
    if (!skips) {
      t.set("window", number(left + 1));
      return;
    }
    const std::optional<std::vector<int>> layers = windowed_layers(*skips);
    if (!layers)
      flags_.refuse("window-attn-skip-freq",
                    fmt::format("'{}' cannot be said: it is a number or a pattern of all {} "
                                "layers such as ([1,0]*12)",
                                *skips, degrees_.layers));
    else if (std::find(layers->begin(), layers->end(), 1) != layers->end())
      window_of_some(t, left + 1, *layers);
  }

  /// Every n-th layer has no window, or a list has a 1 where one is (is_layer_window_attention of
  /// core/transformer/utils.py). Returns nothing for what is neither.
  std::optional<std::vector<int>> windowed_layers(const std::string& skips) {
    if (degrees_.layers > most_layers)
      flags_.fail("window-attn-skip-freq", fmt::format("is for at most {} layers", most_layers));
    const auto count = static_cast<size_t>(degrees_.layers);
    if (const auto every = interop::number_of<size_t>(skips); every && *every > 0) {
      std::vector<int> layers(count, 1);
      for (size_t i = *every - 1; i < count; i += *every) layers[i] = 0;
      return layers;
    }
    auto layers = read_layer_pattern(skips);
    if (layers && layers->size() != count) layers.reset();
    return layers;
  }

  void window_of_some(Value& t, int64_t window, const std::vector<int>& layers) {
    t.set("window", number(window));
    const size_t period = period_of(layers);
    if (period == 2 && layers[0] != 0)
      t.set("window_every", number(2));
    else if (period > 1)
      t.set("mixers", kinds_of(layers, "sliding", "full"));
  }

  void decoder(Value& t) {
    const int64_t layers = flags_.number("decoder-num-layers", degrees_.layers);
    t.set("decoder", number(layers));
    if (flags_.has("decoder-seq-length"))
      t.set("decoder_sequence", number(flags_.number("decoder-seq-length", 0)));
  }

  std::string positions() {
    if (flags_.has("use-rotary-position-embeddings")) return "rope";
    // Of the time before the types: Megatron-LM ends with another type than rope beside it.
    const bool learns_none = flags_.has("no-position-embedding");
    const std::optional<std::string> given = flags_.text("position-embedding-type");
    if (learns_none && !given) return "none";
    const std::string type = given.value_or("learned_absolute");
    if (learns_none && type == "learned_absolute")
      flags_.fail("no-position-embedding", "and " + flags_.named("position-embedding-type") +
                                               " learned_absolute exclude "
                                               "each other");
    if (type == "learned_absolute") return "learned";
    if (type == "alibi" || type == "ALiBi") return "alibi";  // of forks, as is "rotary"
    if (type == "rotary" || type == "rope" || type == "yarn" || type == "mrope") return "rope";
    if (type == "none") return "none";
    flags_.fail("position-embedding-type",
                fmt::format("is learned_absolute, rope or none, not '{}'", type));
  }

  std::string normalization() {
    const std::string kind = flags_.text("normalization").value_or("LayerNorm");
    if (kind == "LayerNorm" || kind == "layernorm") return "layernorm";
    if (kind == "RMSNorm" || kind == "rmsnorm") return "rmsnorm";
    flags_.fail("normalization", fmt::format("is LayerNorm or RMSNorm, not '{}'", kind));
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

  Flags& flags_;
  const Degrees& degrees_;
  Program program_;
  int64_t hidden_ = 0, ffn_ = 0;
};

}  // namespace

Value read_model(Flags& flags, const Degrees& degrees, Program program) {
  return ModelReader(flags, degrees, program).run();
}

}  // namespace pipewright::megatron
