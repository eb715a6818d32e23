#include "convert/job/model_constants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/job/settings.hpp"
#include "workload/model/hugging_face/hugging_face.hpp"
#include "workload/model/hugging_face/keys.hpp"
#include "workload/model/hugging_face/text_model.hpp"
#include "workload/model/model.hpp"

namespace pipewright::job {
namespace {

using config::Value;

/// A key of Hugging Face's configurations, the values that change nothing, joined by '|', and the
/// part that a model has to have.
enum class Part : uint8_t { any, rotation, experts };
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
    {"attn_logit_softcapping", Constant::other},
    {"final_logit_softcapping", Constant::other},
    {"query_pre_attn_scalar", Constant::other},
    {"embedding_multiplier", Constant::other, "1"},
    {"residual_multiplier", Constant::other, "1"},
    {"attention_multiplier", Constant::other},
    {"logits_scaling", Constant::other, "1"},
    {"logit_scale", Constant::other, "1"}};

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

/// The activation that `swiglu` and its absence stand for.
bool is_usual_activation(const std::string& name, const TransformerShape& shape) {
  if (shape.gated) return name == "silu" || name == "swish";
  return name.starts_with("gelu");
}

/// Adds how rotation is stretched. Version 5 of the library has the base of the rotation there too.
void add_scaling(const Value& text, std::vector<ModelConstant>& all) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const Value* scaling = hugging_face::find_given(text, key);
    if (!scaling || !scaling->is_map()) continue;
    if (const Value* base = hugging_face::find_given(*scaling, "rope_theta");
        base && !hugging_face::find_given(text, "rope_theta"))
      all.push_back({Constant::rotary_base, "rope_theta", *base});
    const Value* kind = hugging_face::find_given(*scaling, "rope_type");
    if (!kind) kind = hugging_face::find_given(*scaling, "type");
    if (kind && kind->text != "default") all.push_back({Constant::rotary_scaling, key, *scaling});
  }
}

}  // namespace

std::string ModelConstant::value() const { return written(said); }

std::string ModelConstant::text() const { return fmt::format("{} {}", key, value()); }

std::vector<ModelConstant> model_constants(const Experiment& experiment) {
  std::vector<ModelConstant> all;
  const Value* model = experiment.document.find("model");
  if (!model || !model->is_map() || !is_hugging_face(*model)) return all;
  const TransformerShape& shape = experiment.model_or_fail().transformer;
  const Value text = hugging_face::with_whole_numbers(hugging_face::text_of(*model));
  for (const Known& one : known) {
    const Value* value = hugging_face::find_given(text, one.key);
    if (!value || !has_part(one.part, shape) || says_nothing(one, written(*value))) continue;
    if (one.what == Constant::activation && is_usual_activation(value->text, shape)) continue;
    all.push_back({one.what, std::string(one.key), *value});
  }
  if (shape.positions == Positions::rope) add_scaling(text, all);
  return all;
}

}  // namespace pipewright::job
