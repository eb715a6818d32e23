#include "workload/model/constants.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"
#include "workload/model/hugging_face/keys.hpp"
#include "workload/model/hugging_face/text_model.hpp"

namespace pipewright {
namespace {

using config::Value;

enum class Part : uint8_t { any, rotation, experts };

/// A key, the values that change nothing, joined by '|', and the part that a model has to have.
struct Known {
  std::string_view key;
  Constant what;
  std::string_view nothing{};
  Part part = Part::any;
};

// After the configuration classes of the library (transformers 4.57, 5.0).
constexpr Known known[] = {
    {"rope_theta", Constant::rotary_base, "", Part::rotation},
    {"rotary_emb_base", Constant::rotary_base, "", Part::rotation},
    {"partial_rotary_factor", Constant::rotary_share, "1", Part::rotation},
    {"rotary_pct", Constant::rotary_share, "1", Part::rotation},
    {"rms_norm_eps", Constant::norm_epsilon},
    {"layer_norm_eps", Constant::norm_epsilon},
    {"layer_norm_epsilon", Constant::norm_epsilon},
    {"norm_epsilon", Constant::norm_epsilon},
    {"norm_eps", Constant::norm_epsilon},
    {"initializer_range", Constant::initial_deviation},
    {"hidden_act", Constant::activation},
    {"activation_function", Constant::activation},
    {"hidden_activation", Constant::activation},
    {"router_aux_loss_coef", Constant::balance_loss, "0", Part::experts},
    {"aux_loss_alpha", Constant::balance_loss, "0", Part::experts},
    {"seq_aux", Constant::sequence_balance, "false", Part::experts},
    {"router_z_loss_coef", Constant::z_loss, "0", Part::experts},
    {"router_jitter_noise", Constant::router_jitter, "0", Part::experts},
    {"scoring_func", Constant::router_score, "softmax", Part::experts},
    {"routed_scaling_factor", Constant::router_scaling, "1", Part::experts},
    {"topk_method", Constant::router_bias, "greedy|group_limited_greedy", Part::experts},
    {"norm_topk_prob", Constant::shares_as_are, "true", Part::experts},
    {"fp8_format", Constant::fp8_format},
    {"megatron_arguments", Constant::megatrons_arguments},
    {"attn_logit_softcapping", Constant::other},
    {"final_logit_softcapping", Constant::other},
    {"query_pre_attn_scalar", Constant::other},
    {"embedding_multiplier", Constant::other, "1"},
    {"residual_multiplier", Constant::other, "1"},
    {"attention_multiplier", Constant::other},
    {"logits_scaling", Constant::other, "1"},
    {"logit_scale", Constant::other, "1"}};

/// Where rotation is stretched. Version 5 of the library has the base of the rotation there too.
constexpr std::string_view scalings[] = {"rope_scaling", "rope_parameters"};

constexpr std::string_view fp8_formats[] = {"e4m3", "hybrid"};

constexpr double most = 1e12;

bool says_nothing(const Known& one, const std::string& value) {
  std::string_view rest = one.nothing;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('|'), rest.size());
    if (value == rest.substr(0, end)) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

bool has_part(Part part, const TransformerShape& shape) {
  if (part == Part::rotation) return shape.positions == Positions::rope;
  return part == Part::any || shape.experts.has_value();
}

/// The activation that a gate and its absence stand for.
bool is_usual_activation(const std::string& name, const TransformerShape& shape) {
  if (shape.gated) return name == "silu" || name == "swish";
  return name.starts_with("gelu");
}

bool is_word(Constant what) {
  return what == Constant::activation || what == Constant::sequence_balance ||
         what == Constant::router_score || what == Constant::router_bias ||
         what == Constant::shares_as_are || what == Constant::fp8_format ||
         what == Constant::megatrons_arguments;
}

void add_scaling(const Value& text, std::vector<ModelConstant>& all) {
  for (const std::string_view key : scalings) {
    const Value* scaling = hugging_face::find_given(text, key);
    if (!scaling || !scaling->is_map()) continue;
    if (const Value* base = hugging_face::find_given(*scaling, "rope_theta");
        base && !hugging_face::find_given(text, "rope_theta"))
      all.push_back({Constant::rotary_base, "rope_theta", *base});
    const Value* kind = hugging_face::find_given(*scaling, "rope_type");
    if (!kind) kind = hugging_face::find_given(*scaling, "type");
    if (kind && kind->text != "default")
      all.push_back({Constant::rotary_scaling, std::string(key), *scaling});
  }
}

/// The map that has the constants: the text model of a configuration, or what a model map says.
Value where_said(const Value& model) {
  if (is_hugging_face(model)) return hugging_face::with_whole_numbers(hugging_face::text_of(model));
  const Value* constants = model.find("constants");
  return constants ? hugging_face::with_whole_numbers(*constants) : Value{};
}

}  // namespace

std::vector<ModelConstant> constants_of(const Value& model, const TransformerShape& shape) {
  std::vector<ModelConstant> all;
  const Value text = where_said(model);
  for (const Known& one : known) {
    const Value* value = hugging_face::find_given(text, one.key);
    if (!value || !has_part(one.part, shape) || says_nothing(one, value->text)) continue;
    if (one.what == Constant::activation && is_usual_activation(value->text, shape)) continue;
    all.push_back({one.what, std::string(one.key), *value});
  }
  if (shape.positions == Positions::rope) add_scaling(text, all);
  return all;
}

std::string_view name_of(Constant what) {
  if (what == Constant::rotary_scaling) return scalings[0];
  return std::ranges::find(known, what, &Known::what)->key;
}

void check_constants(const Value& constants) {
  std::vector<std::string_view> names(std::begin(scalings), std::end(scalings));
  for (const Known& one : known) names.push_back(one.key);
  const config::Fields fields(constants, "the constants of a model", names);
  for (const Known& one : known)
    if (const Value* value = hugging_face::find_given(constants, one.key)) {
      if (one.what == Constant::fp8_format)
        config::as_choice(*value, fp8_formats);
      else if (is_word(one.what))
        config::as_text(*value);
      else
        config::as_number(*value, 0, most);
    }
  for (const std::string_view key : scalings)
    if (const Value* value = hugging_face::find_given(constants, key); value && !value->is_map())
      value->fail("must be a map, such as {rope_type: linear, factor: 2}");
}

}  // namespace pipewright
