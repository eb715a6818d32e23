// After torchtitan/config/job_config.py and its forerunners: sections have moved (training to
// parallelism in late 2024), and so have names of keys; all are read.
#include "convert/torchtitan/job_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/toml.hpp"
#include "convert/torchtitan/flavors.hpp"
#include "convert/torchtitan/pipeline.hpp"
#include "interop/words.hpp"

namespace pipewright::torchtitan {
namespace {

using config::number;
using config::scalar;
using config::Value;
using job::Effect;

constexpr job::Key keys[] = {
    {"job.*", Effect::nothing, "names"},
    {"profiling.*", Effect::nothing, "profiles"},
    {"metrics.*", Effect::nothing, "logs"},
    {"checkpoint.*", Effect::nothing, "checkpoints"},
    {"lr_scheduler.*", Effect::nothing, "learning rates"},
    {"validation.*", Effect::nothing, "evaluation"},
    {"comm.*", Effect::nothing, "timeouts"},
    {"memory_estimation.*", Effect::nothing, "estimates"},
    {"debug.*", Effect::nothing, "seeds"},
    {"fault_tolerance.enable", Effect::refused, "replicas that come and go are not modelled",
     "false"},
    {"fault_tolerance.*", Effect::nothing, "of replicas that come and go"},
    {"experimental.custom_*", Effect::refused, "Python code cannot be read", ""},
    {"experimental.torch_spmd", Effect::refused, "another way of sharding cannot be said", "false"},
    {"model.tokenizer_path", Effect::nothing, "the flavor says the vocabulary"},
    {"model.hf_assets_path", Effect::nothing, "the flavor says the vocabulary"},
    {"model.norm_type", Effect::nothing, "an RMSNorm is one"},
    {"model.print_after_conversion", Effect::nothing, "logs"},
    {"model.use_flex_attn", Effect::slight, "attention is taken to be causal over whole sequences"},
    {"model.attn_mask_type", Effect::slight,
     "attention is taken to be causal over whole sequences"},
    {"optimizer.early_step_in_backward", Effect::refused,
     "steps in the backward pass are not modelled", "false"},
    {"optimizer.implementation", Effect::slight, "the step is taken to be fused"},
    {"optimizer.*", Effect::nothing, "learning rates"},
    {"training.dataset*", Effect::nothing, "data"},
    {"training.dataloader*", Effect::nothing, "data"},
    {"training.max_norm", Effect::nothing, "losses"},
    {"training.warmup*", Effect::nothing, "learning rates"},
    {"training.seed", Effect::nothing, "seeds"},
    {"training.deterministic", Effect::slight, "deterministic kernels are somewhat slower"},
    {"training.gc_*", Effect::nothing, "garbage collection"},
    {"training.checkpoint_*", Effect::nothing, "checkpoints"},
    {"training.enable_selective_ac", Effect::refused, "its counterpart today is not known",
     "false"},
    {"training.mixed_precision_reduce", Effect::refused, "gradients here are fp32", "float32"},
    {"training.dtype", Effect::refused, "weights of another number format are not modelled",
     "float32"},
    {"training.data_parallel_type", Effect::refused, "only fsdp can be said", "fsdp"},
    {"parallelism.disable_loss_parallel", Effect::refused, "a head that is not cut is not modelled",
     "false"},
    {"training.enable_loss_parallel", Effect::refused, "a head that is not cut is not modelled",
     "true"},
    {"parallelism.module_fqns_per_model_part", Effect::refused,
     "stages by names of modules cannot be said"},
    {"parallelism.pipeline_parallel_split_points", Effect::refused,
     "stages by names of modules cannot be said"},
    {"experimental.pipeline_parallel_split_points", Effect::refused,
     "stages by names of modules cannot be said"},
    {"parallelism.pipeline_parallel_schedule_csv", Effect::refused,
     "give the schedule as torch-csv:FILE in the experiment"},
    {"parallelism.context_parallel_load_balancer", Effect::refused, "pieces are from both ends",
     "headtail"},
    {"activation_checkpoint.per_op_*", Effect::slight,
     "products that are recomputed are not told apart"},
    {"activation_checkpoint.memory_budget", Effect::nothing, "of another mode"},
    {"activation_checkpoint.*", Effect::nothing, "how recomputation is checked"},
    {"compile.*", Effect::nothing, "how it is compiled"},
    {"float8.filter_fqns", Effect::slight, "every product of a block is taken to be in fp8"},
    {"float8.moe_fqns*", Effect::refused, "experts in fp8 of their own are not modelled"},
    {"float8.enable_fsdp_float8_all_gather", Effect::slight,
     "weights are taken to be gathered in bf16"},
    {"float8.precompute*", Effect::slight, "scales are taken to be computed where they are used"},
    {"float8.*", Effect::nothing, "of products that are not in fp8"},
    {"quantize.linear.*", Effect::slight, "every product of a block is taken to be in fp8"},
    {"quantize.dense.*", Effect::slight, "every product of a block is taken to be in fp8"},
    {"quantize.*", Effect::refused, "experts in fp8 of their own are not modelled"},
    {"mx.*", Effect::slight, "every product of a block is taken to be in fp8"}};

class JobFile {
 public:
  explicit JobFile(const job::Source& source)
      : settings_(job::read_toml(source.text, source.file), source, out_) {}

  job::Import run() {
    out_.from = "a job file of torchtitan";
    if (!settings_.has("model") && !settings_.has("training"))
      throw InputError(settings_.where(""), "no [model] and no [training] of torchtitan is here");
    Value& e = out_.experiment;
    Value model = read_flavor(settings_);
    layers_ = config::as_int(*model.find("layers"), 1, 1'000'000);
    has_experts_ = model.find("experts") != nullptr;
    e.set("model", {}).set("transformer", std::move(model));
    batch();
    parallel();
    devices();
    schedule();
    precision();
    recompute();
    rest();
    settings_.review(keys, "torchtitan");
    return std::move(out_);
  }

 private:
  int64_t degree(const char* name) {
    return settings_.integer({fmt::format("parallelism.{}_parallel_degree", name),
                              fmt::format("experimental.{}_parallel_degree", name),
                              fmt::format("training.{}_parallel_degree", name)},
                             1);
  }

  void batch() {
    at_once_ = settings_.integer({"training.local_batch_size", "training.batch_size"}, 8);
    sequence_ = settings_.integer({"training.seq_len"}, 2048);
  }

  void parallel() {
    pipeline_ = read_pipeline(settings_, layers_, at_once_);
    tensor_ = degree("tensor");
    // Of 2024: a degree of its own, which was the tensor degree.
    tensor_ = std::max(tensor_, settings_.integer({"training.sequence_parallel_degree"}, 1));
    context_ = degree("context");
    expert_ = settings_.integer({"parallelism.expert_parallel_degree"}, 1);
    replicate_ = settings_.integer(
        {"parallelism.data_parallel_replicate_degree", "training.data_parallel_replicate_degree"},
        1);
    shard_ =
        settings_.integer({"parallelism.data_parallel_shard_degree",
                           "training.data_parallel_shard_degree", "training.data_parallel_degree"},
                          -1, -1);
    if (shard_ == 0)
      throw InputError(settings_.where("parallelism.data_parallel_shard_degree"),
                       "a degree of 0 is none: it is -1, or from 1 on");
  }

  /// The devices of the job are not in its file.
  void devices() {
    const int64_t others = tensor_ * context_ * pipeline_.ranks * replicate_;
    if (tensor_ > 65536 || context_ > 65536 || replicate_ > 65536 || shard_ > 1'048'576 ||
        others > 1'048'576)
      throw InputError(settings_.where("parallelism"),
                       "the degrees ask for more than a million devices");
    int64_t world = others * std::max<int64_t>(shard_, 1);
    if (const auto given = job::given_devices(settings_.source())) {
      world = *given;
    } else if (shard_ < 0) {
      world = (others + 7) / 8 * 8;
      out_.assumed.push_back(
          fmt::format("the job has {} devices, in whole nodes: --define NGPU=N says it", world));
    }
    if (world % others != 0 || (shard_ > 0 && world != others * shard_))
      throw InputError(
          settings_.where("parallelism"),
          fmt::format("the degrees make {} devices a replica's shard, and there are {}",
                      others * std::max<int64_t>(shard_, 1), world));
    shard_ = world / others;
    world_ = world;
    degrees();
  }

  void degrees() {
    Value p;
    p.set("tensor", number(tensor_));
    p.set("pipeline", number(pipeline_.ranks));
    p.set("data", number(shard_ * replicate_));
    if (pipeline_.stages_of_a_rank > 1 && pipeline_.schedule != "zb-v" &&
        pipeline_.schedule != "dualpipe-v")
      p.set("virtual", number(pipeline_.stages_of_a_rank));
    p.set("sequence", job::truth(tensor_ > 1));
    const std::string rotate = settings_.text({"parallelism.context_parallel_rotate_method",
                                               "experimental.context_parallel_rotate_method"},
                                              "allgather");
    if (context_ > 1 && rotate == "allgather") {
      Value& context = p.set("context", {});
      context.set("degree", number(context_));
      context.set("exchange", scalar("all-gather"));
    } else {
      p.set("context", number(context_));
    }
    const int64_t cut = settings_.integer({"parallelism.expert_tensor_parallel_degree"}, 1);
    if (has_experts_ && expert_ > 1 && cut > 1)
      settings_.refuse("parallelism.expert_tensor_parallel_degree",
                       "experts that are both spread and cut are not modelled");
    p.set("expert", number(has_experts_ ? expert_ : 1));
    sharding(p);
    out_.experiment.set("parallel", std::move(p));
    job::assume_cluster(out_, world_, std::min<int64_t>(world_, 8));
    out_.experiment.set("framework", scalar("torchtitan"));
  }

  /// Weights are sharded over shards and context ranks, and copied over replicas.
  void sharding(Value& p) {
    const bool shards = shard_ * context_ > 1;
    const std::string reshard = settings_.text(
        {"parallelism.fsdp_reshard_after_forward", "training.fsdp_reshard_after_forward"},
        "default");
    p.set("zero", number(shards ? 3 : 0));
    if (!shards) return;
    if (replicate_ > 1 && shard_ > 1) p.set("shard", number(shard_));
    if (reshard == "always" || reshard == "never")
      p.set("reshard", job::truth(reshard == "always"));
  }

  void schedule() {
    Value& e = out_.experiment;
    const int64_t replicas = shard_ * replicate_;
    const int64_t global = settings_.integer({"training.global_batch_size"}, -1, -1);
    const int64_t at_once = at_once_ * replicas;
    if (global > 0 && global % at_once != 0)
      throw InputError(settings_.where("training.global_batch_size"),
                       fmt::format("{} is not a multiple of {} replicas' batches of {}", global,
                                   replicas, at_once_));
    if (global > at_once && pipeline_.ranks > 1)
      settings_.refuse("training.global_batch_size",
                       "several batches, each with a pipeline of its own, are not modelled");
    const int64_t all = pipeline_.ranks > 1 || global <= 0 ? at_once : global;
    Value& b = e.set("batch", {});
    b.set("global", number(all));
    b.set("micro", number(pipeline_.micro));
    b.set("sequence", number(sequence_));
    e.set("schedule", scalar(pipeline_.schedule));
    if (!pipeline_.partition.empty()) e.set("partition", job::list_of(pipeline_.partition));
    const int64_t steps =
        std::min<int64_t>(settings_.integer({"training.steps"}, 10000), 1'000'000'000);
    const double tokens =
        static_cast<double>(steps) * static_cast<double>(all) * static_cast<double>(sequence_);
    e.set("training", {}).set("tokens", scalar(fmt::format("{:.0f}", tokens)));
  }

  bool converts(const std::string& name) {
    const Value* converters = settings_.find("model.converters");
    if (!converters || !converters->is_list()) return false;
    return std::any_of(converters->items.begin(), converters->items.end(), [&](const Value& item) {
      return item.text.find(name) != std::string::npos;
    });
  }

  void precision() {
    const bool fp8 =
        settings_.truth({"float8.enable_float8_linear", "training.enable_float8_linear",
                         "training.enable_fp8_linear"},
                        false) |
        converts("float8");
    const std::string old = settings_.text({"training.fp8_linear"}, "");
    const std::string param = settings_.text({"training.mixed_precision_param"}, "bfloat16");
    if (param != "bfloat16" && param != "float32")
      settings_.refuse("training.mixed_precision_param", param + " cannot be said");
    const std::string recipe =
        settings_.text({"float8.recipe_name", "quantize.linear.float8.recipe_name"}, "tensorwise");
    if (converts("mx")) return fp8_recipe("mxfp8");
    if (!fp8 && (old.empty() || old == "false")) {
      out_.experiment.set("precision", scalar(param == "float32" ? "fp32" : "bf16"));
      return;
    }
    if (old == "delayed") return fp8_recipe("delayed");
    if (recipe != "tensorwise")
      settings_.refuse("float8.recipe_name", recipe + " cannot be said: it is tensorwise");
    fp8_recipe("tensorwise");
  }

  void fp8_recipe(const char* recipe) {
    out_.experiment.set("precision", {}).set("fp8", scalar(recipe));
  }

  void recompute() {
    const std::string mode = settings_.text({"activation_checkpoint.mode"}, "selective");
    const std::string option = settings_.text({"activation_checkpoint.selective_ac_option"}, "2");
    Value& e = out_.experiment;
    if (mode == "full") {
      e.set("recompute", scalar("full"));
    } else if (mode == "selective" && option == "op") {
      e.set("recompute", {}).set("products", number(2));
    } else if (mode == "selective") {
      every_so_many(option);
    } else if (mode != "none") {
      settings_.refuse("activation_checkpoint.mode",
                       mode + " cannot be said: it is none, selective or full");
    }
  }

  /// Every n-th layer is run again; here as many, the first of every stage.
  void every_so_many(const std::string& option) {
    const auto every = interop::number_of<int64_t>(option);
    const int64_t stages = pipeline_.ranks * pipeline_.stages_of_a_rank;
    if (!every || *every < 1 || layers_ % stages != 0 || layers_ / stages % *every != 0) {
      settings_.refuse("activation_checkpoint.selective_ac_option",
                       fmt::format("every {} layers cannot be said of stages of {}", option,
                                   static_cast<double>(layers_) / static_cast<double>(stages)));
      return;
    }
    if (*every == 1)
      out_.experiment.set("recompute", scalar("full"));
    else
      out_.experiment.set("recompute", {}).set("layers", number(layers_ / stages / *every));
  }

  void rest() {
    Value& e = out_.experiment;
    std::string optimizer = interop::lower_case(settings_.text({"optimizer.name"}, "AdamW"));
    if (optimizer != "adam" && optimizer != "adamw") {
      settings_.refuse("optimizer.name", optimizer + " cannot be said: it is Adam or AdamW");
      optimizer = "adamw";
    }
    e.set("optimizer", scalar(optimizer));
    if (settings_.truth({"training.enable_cpu_offload"}, false))
      e.set("offload", scalar("weights"));
    const bool compiled = settings_.truth({"compile.enable", "training.compile"}, false);
    e.set("kernels", scalar(compiled ? "fused" : "eager"));
    const bool async = settings_.truth(
        {"parallelism.enable_async_tensor_parallel", "experimental.enable_async_tensor_parallel"},
        false);
    Value overlap;
    if (async && tensor_ > 1) overlap.set("tensor", {}).set("chunked", number(tensor_));
    // Of DualPipe-V only, where it is the default here too.
    const bool pairs =
        settings_.truth({"parallelism.pipeline_parallel_expert_parallel_overlap"}, true);
    if (!pairs && has_experts_ && expert_ > 1) overlap.set("expert", scalar("none"));
    if (overlap.is_map()) e.set("overlap", std::move(overlap));
    const std::string backend =
        settings_.text({"parallelism.expert_parallel_comm_backend"}, "standard");
    if (has_experts_ && expert_ > 1)
      e.set("dispatch", scalar(backend == "deepep" ? "once-a-node" : "each-copy"));
  }

  job::Import out_;
  job::Settings settings_;
  Pipeline pipeline_;
  int64_t layers_ = 1, at_once_ = 1, sequence_ = 1, world_ = 1;
  int64_t tensor_ = 1, context_ = 1, expert_ = 1, replicate_ = 1, shard_ = -1;
  bool has_experts_ = false;
};

}  // namespace

job::Import import_job_file(const job::Source& source) {
  for (const auto& [name, value] : source.given)
    if (name != "NGPU")
      throw InputError(
          fmt::format("--define {}={}: a job file of torchtitan takes NGPU only", name, value));
  return JobFile(source).run();
}

}  // namespace pipewright::torchtitan
