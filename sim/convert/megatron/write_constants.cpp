// Constants of a Hugging Face configuration as arguments of Megatron-LM:
// megatron/training/arguments.py and, for --use-rope-scaling, whose other constants are
// Llama 3.1's, megatron/core/models/common/embeddings/rotary_pos_embedding.py.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "convert/megatron/writers.hpp"
#include "workload/model/hugging_face/keys.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;
using job::Constant;
using job::ModelConstant;

/// A constant that an argument says by its value alone.
struct Plain {
  Constant what;
  std::string_view argument;
};
constexpr Plain plain[] = {{Constant::rotary_share, "rotary-percent"},
                           {Constant::norm_epsilon, "norm-epsilon"},
                           {Constant::initial_deviation, "init-method-std"},
                           {Constant::balance_loss, "moe-aux-loss-coeff"},
                           {Constant::z_loss, "moe-z-loss-coeff"},
                           {Constant::router_jitter, "moe-input-jitter-eps"},
                           {Constant::router_scaling, "moe-router-topk-scaling-factor"}};

/// --rotary-base takes whole numbers.
bool add_base(const ModelConstant& constant, ArgumentLines& out) {
  const double base = config::as_number(constant.said, 1, 1e12);
  if (base != std::floor(base)) return false;
  out.add("rotary-base", fmt::format("{:.0f}", base));
  return true;
}

bool says(const Value& map, std::string_view key, double number) {
  const Value* value = hugging_face::find_given(map, key);
  return value && config::as_number(*value, 0, 1e12) == number;
}

/// Llama 3.1's constants stand in Megatron's source.
bool add_scaling(const Value& scaling, ArgumentLines& out) {
  const Value* kind = hugging_face::find_given(scaling, "rope_type");
  const Value* factor = hugging_face::find_given(scaling, "factor");
  if (!kind || kind->text != "llama3" || !factor || !says(scaling, "low_freq_factor", 1) ||
      !says(scaling, "high_freq_factor", 4) ||
      !says(scaling, "original_max_position_embeddings", 8192))
    return false;
  out.add("use-rope-scaling");
  out.add("rope-scaling-factor", factor->text);
  return true;
}

/// A word that asks for a flag or a choice; other words are not said.
struct Worded {
  Constant what;
  std::string_view word, argument, value;
};
constexpr Worded worded[] = {
    {Constant::sequence_balance, "true", "moe-router-load-balancing-type", "seq_aux_loss"},
    {Constant::router_score, "sigmoid", "moe-router-score-function", "sigmoid"},
    {Constant::router_bias, "noaux_tc", "moe-router-enable-expert-bias", ""},
    {Constant::shares_as_are, "false", "moe-router-pre-softmax", ""}};

bool add_worded(const ModelConstant& constant, ArgumentLines& out) {
  const auto* one = std::ranges::find(worded, constant.what, &Worded::what);
  if (one == std::end(worded) || constant.value() != one->word) return false;
  if (one->value.empty())
    out.add(one->argument);
  else
    out.add(one->argument, one->value);
  return true;
}

}  // namespace

bool write_constant(const ModelConstant& constant, ArgumentLines& out) {
  if (constant.what == Constant::rotary_base) return add_base(constant, out);
  if (constant.what == Constant::rotary_scaling) return add_scaling(constant.said, out);
  const auto* one = std::ranges::find(plain, constant.what, &Plain::what);
  if (one == std::end(plain)) return add_worded(constant, out);
  out.add(one->argument, constant.value());
  return true;
}

void write_constants(const Experiment& e, ArgumentLines& out) {
  for (const ModelConstant& constant : job::model_constants(e)) write_constant(constant, out);
}

bool says_constant(const ModelConstant& constant) {
  ArgumentLines unused;
  return write_constant(constant, unused);
}

}  // namespace pipewright::megatron
