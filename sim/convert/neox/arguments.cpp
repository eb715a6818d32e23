// After megatron/neox_arguments/neox_args.py, megatron/model/transformer.py (ParallelMLP) and
// megatron/tokenizer/tokenizer.py of GPT-NeoX, which begins with Megatron-LM of 2020: its layers
// are local ones, and unsaid dropout is 0.
#include "convert/neox/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/megatron/document.hpp"

namespace pipewright::neox {
namespace {

using config::Value;

constexpr std::string_view gated_activations[] = {"geglu", "reglu", "bilinear", "swiglu", "glu"};

/// The width of Llama's MLP is a multiple of it.
constexpr int64_t llama_multiple = 256;

/// A value of GPT-NeoX and the one of Megatron-LM.
struct Choice {
  std::string_view key, theirs, ours;
};
constexpr Choice choices[] = {{"norm", "layernorm", "LayerNorm"},
                              {"norm", "rmsnorm", "RMSNorm"},
                              {"norm", "te_layernorm", "LayerNorm"},
                              {"norm", "te_rmsnorm", "RMSNorm"},
                              {"pos_emb", "learned", "learned_absolute"},
                              {"pos_emb", "rotary", "rope"},
                              {"pos_emb", "alibi", "alibi"},
                              {"pos_emb", "none", "none"},
                              {"pos_emb", "sinusoidal", "none"}};

class Arguments {
 public:
  explicit Arguments(job::Settings& settings) : settings_(settings) {}

  std::vector<job::Word> run() {
    for (const auto& [key, name] : sizes)
      if (const Value* value = settings_.find(std::string_view(key)))
        add(name, job::written(*value), key);
    degree("model_parallel_size", "tensor-model-parallel-size");
    degree("pipe_parallel_size", "pipeline-model-parallel-size");
    // What tensor ranks sum is fp32 then.
    if (settings_.integer({"model_parallel_size"}, 1, 0) <= 1) settings_.find("fp32_allreduce");
    if (settings_.truth({"sequence_parallel"}, false))
      add("sequence-parallel", "", "sequence_parallel");
    if (const Value* heads = settings_.find("num_kv_heads")) {
      add("group-query-attention", "", "num_kv_heads");
      add("num-query-groups", job::written(*heads), "num_kv_heads");
    }
    mlp();
    choice("norm", "layernorm", "normalization");
    choice("pos_emb", "learned", "position-embedding-type");
    if (settings_.truth({"no_weight_tying"}, false))
      add("untie-embeddings-and-output-weights", "", "no_weight_tying");
    for (const char* key : {"attention_dropout", "hidden_dropout"})
      add(key == std::string_view("hidden_dropout") ? "hidden-dropout" : "attention-dropout",
          settings_.text({key}, "0"), key);
    experts();
    tokenizer();
    recomputation();
    attention();
    return std::move(words_);
  }

 private:
  static constexpr std::pair<const char*, const char*> sizes[] = {
      {"num_layers", "num-layers"},
      {"hidden_size", "hidden-size"},
      {"num_attention_heads", "num-attention-heads"},
      {"seq_length", "seq-length"},
      {"max_position_embeddings", "max-position-embeddings"},
      {"make_vocab_size_divisible_by", "make-vocab-size-divisible-by"},
      {"padded_vocab_size", "padded-vocab-size"},
      {"train_iters", "train-iters"}};

  void add(const std::string& name, const std::string& value, const std::string& key) {
    megatron::add_argument(name, value, key, settings_.where(key), words_);
  }

  /// Zero is one: a model without the module of pipelines.
  void degree(const char* key, const char* name) {
    add(name, std::to_string(std::max<int64_t>(1, settings_.integer({key}, 1, 0))), key);
  }

  void choice(const char* key, const char* otherwise, const char* name) {
    const std::string text = settings_.text({key}, otherwise);
    for (const Choice& one : choices)
      if (one.key == key && one.theirs == text) {
        add(name, std::string(one.ours), key);
        return;
      }
    settings_.refuse(key, text + " cannot be said");
  }

  void mlp() {
    if (settings_.text({"mlp_type"}, "regular") == "llama") return llama_mlp();
    const bool gated = is_gated();
    const int64_t hidden = settings_.integer({"hidden_size"}, 1);
    const Value* factor = settings_.find("expansion_factor");
    const double expansion = factor ? config::as_number(*factor, 0, 1e6) : 4;
    const int64_t width = settings_.integer(
        {"intermediate_size"}, static_cast<int64_t>(expansion * static_cast<double>(hidden)));
    const int64_t multiple = settings_.integer({"mlp_multiple_of"}, 1);
    add("ffn-hidden-size", std::to_string(inner_width(width, gated, multiple)),
        "intermediate_size");
    if (gated) add("gated-linear-unit", "", "activation");
  }

  /// An MLP of its own that Llama had until September 2024 (LLaMAParallelMLP).
  void llama_mlp() {
    const int64_t hidden = settings_.integer({"hidden_size"}, 1);
    const int64_t width = settings_.integer({"intermediate_size"}, 0);
    settings_.find("activation");
    add("ffn-hidden-size",
        std::to_string(width > 0 ? width : inner_width(8 * hidden, true, llama_multiple)),
        "intermediate_size");
    add("gated-linear-unit", "", "mlp_type");
  }

  /// Experts without capacity whose MLP has no gate (megatron/model/moe.py). Tensor ranks hold
  /// whole ones, and sum what they give as they sum an MLP's parts.
  void experts() {
    const int64_t count = settings_.integer({"moe_num_experts"}, 1);
    settings_.find("moe_top_k");
    settings_.find("moe_expert_interval");
    if (count <= 1) return;
    if (is_gated()) settings_.refuse("activation", "experts with a gate cannot be said");
    add("num-experts", std::to_string(count), "moe_num_experts");
    add("moe-router-topk", std::to_string(settings_.integer({"moe_top_k"}, 1)), "moe_top_k");
    add("moe-layer-freq", std::to_string(settings_.integer({"moe_expert_interval"}, 1)),
        "moe_expert_interval");
    const int64_t ranks = settings_.integer({"moe_expert_parallel_size"}, 1);
    add("expert-model-parallel-size", std::to_string(ranks), "moe_expert_parallel_size");
    add("moe-grouped-gemm", "", "moe_num_experts");
    if (settings_.truth({"moe_token_dropping"}, false))
      add("moe-expert-capacity-factor", settings_.text({"moe_train_capacity_factor"}, "1.0"),
          "moe_token_dropping");
    if (settings_.integer({"model_parallel_size"}, 1, 0) > 1)
      settings_.import().slight.emplace_back(
          "moe_num_experts: a tensor rank is taken to hold a part of every expert");
  }

  bool is_gated() {
    const std::string activation = settings_.text({"activation"}, "gelu");
    return settings_.text({"mlp_type"}, "regular") == "llama" ||
           std::ranges::find(gated_activations, activation) != std::end(gated_activations);
  }

  /// The tokenizer of GPT-NeoX-20B is known by the name of its file.
  void tokenizer() {
    const std::string type = settings_.text({"tokenizer_type"}, "GPT2BPETokenizer");
    const std::string file = settings_.text({"vocab_file"}, "");
    if (type == "GPT2BPETokenizer") {
      add("tokenizer-type", type, "tokenizer_type");
    } else if (type == "CharLevelTokenizer") {
      add("tokenizer-type", "TikTokenizer", "tokenizer_type");
      add("vocab-size", "512", "tokenizer_type");
    } else if (type == "HFTokenizer" && file.ends_with("20B_tokenizer.json")) {
      add("tokenizer-type", "HuggingFaceTokenizer", "tokenizer_type");
      add("tokenizer-model", "EleutherAI/gpt-neox-20b", "vocab_file");
      settings_.import().assumed.push_back("vocab_file: it is the tokenizer of GPT-NeoX-20B");
    } else {
      add("tokenizer-type", "SentencePieceTokenizer", "tokenizer_type");
    }
  }

  void recomputation() {
    const std::string count = settings_.text({"checkpoint_num_layers"}, "1");
    if (!settings_.truth({"checkpoint_activations"}, false)) return;
    add("checkpoint-activations", "", "checkpoint_activations");
    add("checkpoint-num-layers", count, "checkpoint_num_layers");
  }

  /// [[["flash"], 32]]: kinds of layers and how many there are. Unsaid, all are global.
  void attention() {
    add("use-legacy-models", "", "attention_config");
    add("transformer-impl", "local", "attention_config");
    bool global = true, flash = false;
    if (const Value* config = settings_.find("attention_config")) {
      global = says(*config, "global");
      flash = says(*config, "flash");
      note_other(*config);
    }
    // Transformer Engine's attention is fused.
    const Value* engine = settings_.look("te_mha");
    if (engine && job::python_truth(*engine)) {
      global = false;
      flash = true;
    }
    if (global && flash)
      settings_.refuse("attention_config",
                       "layers of global and of flash attention cannot be said");
    if (flash) add("use-flash-attn", "", "attention_config");
    if (settings_.truth({"use_qk_layernorm"}, false)) {
      add("qk-layernorm", "", "use_qk_layernorm");
      settings_.import().slight.emplace_back(
          "use_qk_layernorm: norms of queries and keys are taken to be of single heads");
    }
    if (const Value* window = settings_.find("sliding_window_width"))
      add("window-size", fmt::format("({},0)", config::as_int(*window, 1, 1'000'000'000)),
          "sliding_window_width");
  }

  static bool says(const Value& value, std::string_view kind) {
    if (value.is_scalar()) return value.text == kind;
    return std::any_of(value.items.begin(), value.items.end(),
                       [&](const Value& item) { return says(item, kind); });
  }

  /// Refuses the first kind of layer that is neither; numbers say how many there are.
  void note_other(const Value& value) {
    for (const Value& item : value.items) note_other(item);
    if (!value.is_scalar() || value.text == "global" || value.text == "flash") return;
    const bool is_number = value.text.find_first_not_of("0123456789") == std::string::npos;
    if (!is_number && value.text != "all")
      settings_.refuse(
          "attention_config",
          value.text + " cannot be said: only layers of global or flash attention are read");
  }

  job::Settings& settings_;
  std::vector<job::Word> words_;
};

}  // namespace

int64_t inner_width(int64_t width, bool gated, int64_t multiple) {
  if (gated) width = width * 2 / 3 / 2;
  return (width + multiple - 1) / multiple * multiple;
}

std::vector<job::Word> model_arguments(job::Settings& settings) {
  return Arguments(settings).run();
}

}  // namespace pipewright::neox
