// The inverse of config_file.cpp. Keys that nanotron demands and that change no time, such as data
// and learning rates, go along or are the user's.
#include "convert/nanotron/writer.hpp"

#include <algorithm>
#include <cmath>

#include "config/emit.hpp"
#include "convert/job/carried.hpp"
#include "workload/model/model.hpp"

namespace pipewright::nanotron {
namespace {

using config::number;
using config::scalar;
using config::Value;

int64_t sequence_of(const Experiment& e) {
  return e.batch.sequence > 0 ? e.batch.sequence : e.model_or_fail().sequence.value_or(0);
}

Value model(const Experiment& e) {
  const TransformerShape& shape = e.model_or_fail().transformer;
  Value model;
  model.set("ddp_bucket_cap_mb", number(25));
  model.set("dtype", scalar(e.precision == DType::fp16   ? "float16"
                            : e.precision == DType::fp32 ? "float32"
                                                         : "bfloat16"));
  model.set("make_vocab_size_divisible_by", number(1));
  Value& sizes = model.set("model_config", {});
  sizes.set("is_llama_config", job::truth(true));
  sizes.set("hidden_size", number(shape.hidden));
  sizes.set("intermediate_size", number(shape.ffn));
  sizes.set("num_hidden_layers", number(shape.layers));
  sizes.set("num_attention_heads", number(shape.attention.heads));
  sizes.set("num_key_value_heads", number(shape.attention.kv_heads));
  sizes.set("vocab_size", number(shape.ends.vocabulary));
  sizes.set("tie_word_embeddings", job::truth(shape.ends.tied));
  sizes.set("max_position_embeddings", number(sequence_of(e)));
  for (const ModelConstant& constant : job::model_constants(e)) {
    if (constant.what == Constant::rotary_base) sizes.set("rope_theta", constant.said);
    if (constant.what == Constant::norm_epsilon) sizes.set("rms_norm_eps", constant.said);
  }
  return model;
}

Value parallelism(const Experiment& e) {
  const Parallel& p = e.parallel;
  const Value* schedule = e.document.find("schedule");
  const Value* recompute = e.document.find("recompute");
  Value out;
  out.set("dp", number(std::max(p.data, 1)));
  out.set("pp", number(p.pipeline));
  out.set("tp", number(p.tensor));
  out.set("context_parallel_size", number(p.context));
  out.set("expert_parallel_size", number(1));
  out.set("pp_engine", scalar(schedule && schedule->text == "gpipe" ? "afab" : "1f1b"));
  out.set("tp_mode", scalar(p.sequence ? "REDUCE_SCATTER" : "ALL_REDUCE"));
  out.set("recompute_layer", job::truth(recompute && recompute->text == "full"));
  if (recompute && recompute->text == "selective")
    out.set("recompute_granularity", scalar("selective"));
  return out;
}

Value tokens(const Experiment& e) {
  const int64_t replicas = std::max(e.parallel.data, 1);
  Value out;
  out.set("micro_batch_size", number(e.batch.micro));
  out.set("batch_accumulation_per_replica",
          number(std::max<int64_t>(e.batch.global / e.batch.micro / replicas, 1)));
  out.set("sequence_length", number(sequence_of(e)));
  if (!e.training) return out;
  const double of_a_step = static_cast<double>(e.batch.global * sequence_of(e));
  out.set("train_steps",
          number(std::max<int64_t>(1, std::llround(e.training->tokens / of_a_step))));
  return out;
}

Value optimizer(const Experiment& e) {
  Value out;
  out.set("accumulate_grad_in_fp32",
          job::truth(e.gradients == DType::fp32 && e.precision != DType::fp32));
  out.set("zero_stage", number(e.parallel.zero > 0 ? 1 : 0));
  out.set("optimizer_factory", {})
      .set("name", scalar(e.optimizer == Optimizer::sgd ? "sgd" : "adamW"));
  return out;
}

}  // namespace

bool says_constant(const Experiment&, const ModelConstant& constant) {
  return constant.what == Constant::rotary_base || constant.what == Constant::norm_epsilon;
}

std::string write_config(const Experiment& experiment, const Value& along) {
  Value config;
  config.set("model", model(experiment));
  config.set("optimizer", optimizer(experiment));
  config.set("parallelism", parallelism(experiment));
  config.set("tokens", tokens(experiment));
  job::lay_under(config, along);
  return config::to_yaml(config);
}

}  // namespace pipewright::nanotron
