#include "convert/megatron/activation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "workload/model/model.hpp"

namespace pipewright::megatron {
namespace {

using config::Value;

/// An activation as Megatron Bridge and Hugging Face call it, and the module of its function.
struct Activation {
  std::string_view theirs, hugging_face, module;
};
constexpr Activation activations[] = {
    {"silu", "silu", "torch.nn.functional"},
    {"silu", "swish", "torch.nn.functional"},
    {"gelu", "gelu", "torch.nn.functional"},
    {"relu", "relu", "torch.nn.functional"},
    {"squared_relu", "relu2", "megatron.core.activations"},
    {"fast_gelu", "gelu_pytorch_tanh", "megatron.core.activations"},
    {"fast_gelu", "gelu_new", "megatron.core.activations"},
    {"quick_gelu", "quick_gelu", "megatron.core.fusions.fused_bias_geglu"},
    {"sigmoid", "sigmoid", "torch.nn.functional"},
    {"tanh", "tanh", "torch"}};

const Activation* find_activation(std::string_view name, std::string_view Activation::*field) {
  const auto* found = std::ranges::find(activations, name, field);
  return found == std::end(activations) ? nullptr : found;
}

/// "silu" of {_target_: torch.nn.functional.silu} and of its last part alone.
std::string name_at(const Value& value) {
  const Value* target = value.is_map() ? value.find("_target_") : &value;
  return target ? target->text.substr(target->text.find_last_of('.') + 1) : std::string();
}

}  // namespace

std::string_view activation_of(const Experiment& experiment) {
  for (const ModelConstant& constant : job::model_constants(experiment))
    if (constant.what == Constant::activation)
      if (const auto* one = find_activation(constant.said.text, &Activation::hugging_face))
        return one->theirs;
  return experiment.model_or_fail().transformer.gated ? "silu" : "gelu";
}

bool says_activation(const ModelConstant& constant) {
  return find_activation(constant.said.text, &Activation::hugging_face) != nullptr;
}

Value activation_function(std::string_view name) {
  const Activation& one = *find_activation(name, &Activation::theirs);
  Value value;
  value.set("_target_", config::scalar(fmt::format("{}.{}", one.module, one.theirs)));
  value.set("_call_", job::truth(false));
  return value;
}

std::optional<Value> read_activation(job::Settings& settings, const std::string& path) {
  const Value* value = settings.find(std::string_view(path));
  if (!value || value->is_null()) return std::nullopt;
  const std::string name = name_at(*value);
  for (const auto field : {&Activation::theirs, &Activation::hugging_face})
    if (const auto* one = find_activation(name, field)) return config::scalar(one->hugging_face);
  settings.import().slight.push_back(
      fmt::format("{}: {}: the activation is taken to be a usual one", path, job::written(*value)));
  return std::nullopt;
}

void set_activation(const std::optional<Value>& activation, job::Import& import) {
  Value& model = *import.experiment.find("model");
  const Value* gated = model.find("transformer")->find("gated");
  const char* usual = gated && gated->text == "true" ? "silu" : "gelu";
  if (!activation || activation->text == usual) return;
  if (!model.find("constants")) model.set("constants", {});
  model.find("constants")->set(name_of(Constant::activation), *activation);
}

}  // namespace pipewright::megatron
