// After nanotron's src/nanotron/config/: every degree is said, so the job says how many devices it
// has. Models are Llama's, Qwen2's and Starcoder2's.
#include "convert/nanotron/config_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/carried.hpp"
#include "convert/job/documents.hpp"
#include "convert/job/step_counts.hpp"
#include "interop/words.hpp"

namespace pipewright::nanotron {
namespace {

using config::number;
using config::scalar;
using config::Value;
using job::Effect;

constexpr job::Key keys[] = {
    {"checkpoints.*", Effect::nothing, "checkpoints"},
    {"checkpoints", Effect::nothing, "checkpoints"},
    {"general.*", Effect::nothing, "names and seeds"},
    {"logging.*", Effect::nothing, "logs"},
    {"kill_switch_path", Effect::nothing, "stops and restarts"},
    {"experiment_logger*", Effect::nothing, "logs"},
    {"brrr_data*", Effect::nothing, "data"},
    {"metrics_logging.*", Effect::nothing, "logs"},
    {"lighteval*", Effect::nothing, "evaluation"},
    {"s3_upload*", Effect::nothing, "checkpoints"},
    {"doremi.ref_model_resume_checkpoint_path", Effect::refused,
     "a second model that weighs the data is not modelled", "null|~"},
    {"doremi*", Effect::nothing, "data"},
    {"parallelism.moe_layer_recompute", Effect::refused, "experts alone cannot be run again here",
     "false"},
    {"data.*", Effect::nothing, "data"},
    {"data_stages", Effect::nothing, "data"},
    {"tokenizer*", Effect::nothing, "the model says the vocabulary"},
    {"tokens.limit_*", Effect::nothing, "evaluation"},
    {"tokens.val_*", Effect::nothing, "evaluation"},
    {"optimizer.*", Effect::nothing, "learning rates"},
    {"model.tokenizer*", Effect::nothing, "the model says the vocabulary"},
    {"model.seed", Effect::nothing, "weights at the start"},
    {"learning_rate_scheduler*", Effect::nothing, "learning rates"},
    {"profile*", Effect::nothing, "profiles"},
    {"model.init_method*", Effect::nothing, "weights at the start"},
    {"model.ddp_bucket_cap_mb", Effect::slight,
     "buckets of gradients are taken to be the framework's"},
    {"model.model_config._use_doc_masking", Effect::slight,
     "attention is taken to be causal over whole sequences", "false"},
    {"model.model_config.sliding_window_size", Effect::refused, "windows are not read here"},
    {"model.model_config.no_rope_layer", Effect::slight, "rotation is taken to be in every layer"},
    {"model.model_config.moe_config.router_aux_loss_coef", Effect::nothing, "losses"},
    {"model.model_config.moe_*", Effect::refused, "only the experts of Qwen are read"},
    {"model.model_config.is_llamoe*", Effect::refused, "only the experts of Qwen are read",
     "false"},
    {"model.model_config.is_*", Effect::refused, "a model of this class is not read", "false"},
    {"model.model_config.sinusoidal_position_embedding", Effect::refused,
     "a model with such positions is none of Llama's", "false"},
    {"model.model_config.activation_function", Effect::refused,
     "an MLP of another activation is not read", "silu"},
    {"model.model_config.attention_bias", Effect::slight,
     "biases of queries, keys and values are small"},
    {"model.model_config.is_mamba*", Effect::refused, "state-space layers are not read here",
     "false"},
    {"model.model_config.hidden_act", Effect::refused, "an MLP of another activation is not read",
     "silu"},
    {"model.model_config._attn_implementation", Effect::slight,
     "attention is taken to be FlashAttention"},
    {"model.model_config.*", Effect::nothing, "constants of the model"},
    {"parallelism.tp_linear_async_communication", Effect::slight,
     "collectives of tensor ranks are taken to run by themselves"},
    {"parallelism.tp_recompute_allgather", Effect::slight, "gathered inputs are taken to be kept"},
    {"parallelism.expert_parallel_size", Effect::refused,
     "expert ranks that read the same samples are not modelled", "1"}};

class ConfigFile {
 public:
  explicit ConfigFile(const job::Source& source)
      : settings_(job::parse_job(source, out_), source, out_) {}

  job::Import run() {
    out_.from = "a configuration of nanotron";
    for (const char* section : {"parallelism", "tokens", "model"})
      if (!settings_.has(section))
        throw InputError(settings_.where(""), fmt::format("no '{}' of nanotron is here", section));
    read_degrees();
    Value& whole = out_.experiment.set("model", {});
    whole.set("transformer", model());
    constants(whole);
    parallel();
    batch();
    precision();
    recompute();
    optimizer();
    settings_.review(keys, "nanotron");
    job::carry(out_, settings_, {.format = "nanotron"});
    job::carry_step(out_, "nanotron");
    return std::move(out_);
  }

 private:
  int64_t needed(const std::string& path) {
    if (!settings_.find(std::string_view(path)))
      throw InputError(settings_.where(path.substr(0, path.find('.'))),
                       fmt::format("'{}' is missing", path));
    return settings_.integer({path}, 1);
  }

  void read_degrees() {
    data_ = needed("parallelism.dp");
    pipeline_ = needed("parallelism.pp");
    tensor_ = needed("parallelism.tp");
    context_ = settings_.integer({"parallelism.context_parallel_size"}, 1);
    for (const int64_t degree : {data_, pipeline_, tensor_, context_})
      if (degree > 65536)
        throw InputError(settings_.where("parallelism"), "a degree of more than 65536");
    if (data_ * tensor_ > 1'048'576 || data_ * tensor_ * pipeline_ > 1'048'576 ||
        data_ * tensor_ * pipeline_ * context_ > 1'048'576)
      throw InputError(settings_.where("parallelism"), "more than a million devices");
  }

  Value model() {
    if (settings_.truth({at + "is_mamba_config"}, false))
      settings_.refuse(at + "is_mamba_config", "state-space layers are not read here");
    if (!settings_.has("model.model_config.hidden_size"))
      throw InputError(settings_.where("model"), "a model_config with a hidden_size is missing");
    return settings_.truth({at + "is_starcoder2_config"}, false) ? starcoder() : llama();
  }

  Value vocabulary(int64_t otherwise) {
    const int64_t unit = settings_.integer({"model.make_vocab_size_divisible_by"}, 1) * tensor_;
    return number((settings_.integer({at + "vocab_size"}, otherwise) + unit - 1) / unit * unit);
  }

  /// models/starcoder2.py: one key and value for all heads where nobody says how many groups there
  /// are, and an embedding that is always tied.
  Value starcoder() {
    Value t;
    const int64_t hidden = needed(at + "hidden_size");
    const bool grouped = settings_.truth({at + "grouped_query"}, false);
    settings_.find(std::string_view(at + "multi_query"));
    t.set("layers", number(settings_.integer({at + "num_hidden_layers"}, 24)));
    t.set("hidden", number(hidden));
    t.set("heads", number(settings_.integer({at + "num_attention_heads"}, 16)));
    t.set("kv_heads", number(grouped ? needed(at + "num_kv_heads") : 1));
    t.set("ffn", number(settings_.integer({at + "intermediate_size"}, 4 * hidden)));
    t.set("gated", job::truth(false));
    t.set("vocabulary", vocabulary(49280));
    t.set("tied_embeddings", job::truth(true));
    t.set("positions",
          scalar(settings_.truth({at + "use_rotary_embeddings"}, true) ? "rope" : "none"));
    t.set("norm", scalar("layernorm"));
    t.set("bias", job::truth(true));
    t.set("dropout", job::truth(drops()));
    if (const Value* width = settings_.find(std::string_view(at + "sliding_window_size"));
        width && !width->is_null())
      t.set("window", *width);
    if (const Value* whole = settings_.find(std::string_view(at + "global_attn_layers"));
        whole && !whole->items.empty())
      settings_.refuse(at + "global_attn_layers", "layers without a window cannot be said here");
    settings_.find(std::string_view(at + "activation_function"));
    return t;
  }

  /// Of the rates that nobody says Starcoder's are 0.1.
  bool drops() {
    bool drops = false;
    for (const char* rate : {"attn_pdrop", "embd_pdrop", "resid_pdrop"}) {
      const Value* value = settings_.find(std::string_view(at + rate));
      drops = drops || !value || config::as_number(*value, 0, 1) > 0;
    }
    return drops;
  }

  /// nn/moe.py: every rank has all experts, next to one that all tokens pass through.
  Value experts() {
    const std::string in = at + "moe_config.";
    Value e;
    e.set("count", number(settings_.integer({in + "num_experts"}, 8)));
    e.set("active", number(settings_.integer({in + "top_k"}, 2)));
    e.set("ffn", number(settings_.integer({in + "moe_intermediate_size"}, 1408)));
    const int64_t width = settings_.integer({in + "shared_expert_intermediate_size"}, 5632);
    if (settings_.truth({in + "enable_shared_expert"}, false)) {
      e.set("shared", number(1));
      e.set("shared_ffn", number(width));
      e.set("shared_gate", job::truth(true));
    }
    settings_.find(std::string_view(in + "token_dispatcher_type"));
    const Value* layers = settings_.find(std::string_view(in + "layers"));
    if (layers && job::written(*layers) != "[-1]")
      settings_.refuse(in + "layers", "experts in some of the layers cannot be said here");
    if (tensor_ > 1)
      settings_.refuse(at + "moe_config",
                       "experts that every tensor rank has whole cannot be said");
    return e;
  }

  Value llama() {
    for (const char* kind : {"is_llama_config", "is_qwen2_config"})
      settings_.find(std::string_view(at + kind));
    Value t;
    const int64_t heads = settings_.integer({at + "num_attention_heads"}, 32);
    t.set("layers", number(settings_.integer({at + "num_hidden_layers"}, 32)));
    t.set("hidden", number(needed(at + "hidden_size")));
    t.set("heads", number(heads));
    t.set("kv_heads", number(settings_.integer({at + "num_key_value_heads"}, heads)));
    t.set("ffn", number(settings_.integer({at + "intermediate_size"}, 11008)));
    t.set("gated", job::truth(true));
    t.set("vocabulary", vocabulary(32000));
    t.set("tied_embeddings", job::truth(settings_.truth({at + "tie_word_embeddings"}, false)));
    t.set("positions", scalar("rope"));
    t.set("norm", scalar("rmsnorm"));
    t.set("bias", job::truth(false));
    t.set("dropout", job::truth(false));
    if (const Value* moe = settings_.look(at + "moe_config"); moe && moe->is_map())
      t.set("experts", experts());
    return t;
  }

  void constants(Value& whole) {
    Value said;
    for (const std::string key :
         {"rope_theta", "rms_norm_eps", "layer_norm_epsilon", "rope_scaling"})
      if (const Value* value = settings_.find("model.model_config." + key);
          value && !value->is_null())
        said.set(key, *value);
    if (!said.is_null()) whole.set("constants", std::move(said));
  }

  void parallel() {
    Value& e = out_.experiment;
    const int64_t world = data_ * pipeline_ * tensor_ * context_;
    job::assume_cluster(out_, settings_.source(), world, std::min<int64_t>(world, 8));
    Value& p = e.set("parallel", {});
    p.set("tensor", number(tensor_));
    p.set("pipeline", number(pipeline_));
    p.set("data", number(data_));
    const std::string mode =
        interop::lower_case(settings_.text({"parallelism.tp_mode"}, "ALL_REDUCE"));
    if (mode != "all_reduce" && mode != "reduce_scatter")
      settings_.refuse("parallelism.tp_mode", mode + " cannot be said");
    if (tensor_ > 1) p.set("sequence", job::truth(mode == "reduce_scatter"));
    set_context(p);
    const int64_t zero = settings_.integer({"optimizer.zero_stage"}, 0, 0);
    if (zero > 1)
      settings_.refuse("optimizer.zero_stage",
                       fmt::format("{} cannot be said: it is 0 or 1", zero));
    p.set("zero", number(zero > 0 ? 1 : 0));
    const std::string engine =
        interop::lower_case(settings_.text({"parallelism.pp_engine"}, "afab"));
    if (engine != "1f1b" && engine != "afab")
      settings_.refuse("parallelism.pp_engine", engine + " cannot be said");
    e.set("schedule", scalar(engine == "afab" && pipeline_ > 1 ? "gpipe" : "1f1b"));
    e.set("framework", scalar("nanotron"));
  }

  /// nn/llama3_ring_attention.py gathers keys and values; the other kernels send them around.
  void set_context(Value& parallel) {
    const Value* kernel = settings_.look(at + "_attn_implementation");
    if (context_ == 1 || !kernel || kernel->text != "llama3_ring_attention") {
      parallel.set("context", number(context_));
      return;
    }
    Value& context = parallel.set("context", {});
    context.set("degree", number(context_));
    context.set("exchange", scalar("all-gather"));
  }

  void batch() {
    const int64_t micro = needed("tokens.micro_batch_size");
    const int64_t pieces = needed("tokens.batch_accumulation_per_replica");
    const int64_t sequence = needed("tokens.sequence_length");
    const int64_t steps =
        std::min<int64_t>(settings_.integer({"tokens.train_steps"}, 0, 0), 1'000'000'000);
    if (micro > 1'000'000 || pieces > 1'000'000)
      throw InputError(settings_.where("tokens"),
                       "a batch of more than a million million sequences");
    Value& b = out_.experiment.set("batch", {});
    const int64_t global = micro * pieces * data_;
    b.set("global", number(global));
    b.set("micro", number(micro));
    b.set("sequence", number(sequence));
    if (steps == 0) return;
    const double tokens =
        static_cast<double>(steps) * static_cast<double>(global) * static_cast<double>(sequence);
    out_.experiment.set("training", {}).set("tokens", scalar(fmt::format("{:.0f}", tokens)));
  }

  void precision() {
    const std::string type = settings_.text({"model.dtype"}, "bfloat16");
    const bool known = type == "bfloat16" || type == "float16" || type == "float32";
    if (!known)
      settings_.refuse("model.dtype", type + " cannot be said: it is bfloat16, float16 or float32");
    const char* precision = type == "float16" ? "fp16" : type == "float32" ? "fp32" : "bf16";
    out_.experiment.set("precision", scalar(precision));
    const bool wide = settings_.truth({"optimizer.accumulate_grad_in_fp32"}, false);
    out_.experiment.set("gradients", scalar(wide || type == "float32" ? "fp32" : precision));
  }

  void recompute() {
    const std::string granularity =
        interop::lower_case(settings_.text({"parallelism.recompute_granularity"}, ""));
    const bool full =
        settings_.truth({"parallelism.recompute_layer"}, false) || granularity == "full";
    if (full) out_.experiment.set("recompute", scalar("full"));
    // The attention kernel keeps no scores that could be run again.
    if (granularity == "selective") out_.experiment.set("recompute", scalar("selective"));
    if (!granularity.empty() && granularity != "full" && granularity != "selective")
      settings_.refuse("parallelism.recompute_granularity",
                       granularity + " cannot be said: it is full or selective");
  }

  void optimizer() {
    const std::string name =
        interop::lower_case(settings_.text({"optimizer.optimizer_factory.name"}, "adamW"));
    settings_.find("optimizer.optimizer_factory.adam_beta1");
    if (name != "adamw" && name != "sgd")
      settings_.refuse("optimizer.optimizer_factory.name",
                       name + " cannot be said: it is adamW or sgd");
    out_.experiment.set("optimizer", scalar(name == "sgd" ? "sgd" : "adamw"));
  }

  inline static const std::string at = "model.model_config.";

  job::Import out_;
  job::Settings settings_;
  int64_t data_ = 1, pipeline_ = 1, tensor_ = 1, context_ = 1;
};

}  // namespace

job::Import import_config(const job::Source& source) {
  for (const auto& [name, value] : source.given)
    throw InputError(
        fmt::format("--define {}={}: a configuration of nanotron takes no variables", name, value));
  return ConfigFile(source).run();
}

}  // namespace pipewright::nanotron
