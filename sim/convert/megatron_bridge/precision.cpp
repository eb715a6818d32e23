// After src/megatron/bridge/training/mixed_precision.py, August 2026. A name has '_' or '-'.
#include "convert/megatron_bridge/precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/megatron/document.hpp"

namespace pipewright::megatron_bridge {
namespace {

/// What comes behind "bf16_" or "fp16_".
struct PrecisionRecipe {
  std::string_view name, fp8, recipe;
  bool stores = false;      ///< weights are kept in fp8 (fp8_param_gather)
  bool keeps_ends = false;  ///< the first and the last layers stay in bf16
};
constexpr PrecisionRecipe precision_recipes[] = {
    {"mixed", "", ""},
    {"with_fp8_delayed_scaling_mixed", "hybrid", "delayed", true},
    {"with_mxfp8_mixed", "e4m3", "mxfp8", true},
    {"with_fp8_current_scaling_mixed", "hybrid", "tensorwise", true, true},
    {"with_fp8_subchannel_scaling_mixed", "hybrid", "blockwise"},
    {"with_nvfp4_mixed", "", "nvfp4"}};

std::string function_of(const PrecisionRecipe& recipe, bool is_half) {
  const char* kind = is_half ? "fp16" : "bf16";
  std::string text = fmt::format(
      "def {0}_{1}():\n    cfg = MixedPrecisionConfig({0}=True, params_dtype=torch.{2}, "
      "pipeline_dtype=torch.{2}, autocast_enabled=False, grad_reduce_in_fp32={3})\n",
      kind, recipe.name, is_half ? "half" : "bfloat16", is_half ? "False" : "True");
  if (recipe.recipe == "nvfp4") text += "    cfg.fp4 = \"e2m1\"\n    cfg.fp4_recipe = \"nvfp4\"\n";
  if (!recipe.fp8.empty())
    text += fmt::format("    cfg.fp8 = \"{}\"\n    cfg.fp8_recipe = \"{}\"\n", recipe.fp8,
                        recipe.recipe);
  if (recipe.stores) text += "    cfg.fp8_param_gather = True\n";
  if (recipe.keeps_ends) text += "    cfg.first_last_layers_bf16 = True\n";
  return text + "    return cfg\n";
}

}  // namespace

std::string packaged_precision() {
  std::string text = "import torch\nclass MixedPrecisionConfig:\n    pass\n", names;
  for (const PrecisionRecipe& recipe : precision_recipes)
    for (const bool is_half : {false, true}) {
      text += function_of(recipe, is_half);
      names += fmt::format("\"{0}_{1}\": {0}_{1}, ", is_half ? "fp16" : "bf16", recipe.name);
    }
  return text + "def get_mixed_precision_config(name):\n    return {" + names +
         "}[name.replace(\"-\", \"_\")]()\n";
}

bool add_precision(const std::string& name, const std::string& path, const Where& where,
                   std::vector<job::Word>& words) {
  std::string plain = name;
  std::replace(plain.begin(), plain.end(), '-', '_');
  const bool is_half = plain.starts_with("fp16_");
  if (!is_half && !plain.starts_with("bf16_")) return false;
  const auto add = [&](const char* argument, std::string_view value) {
    megatron::add_argument(argument, std::string(value), path, where, words);
  };
  for (const PrecisionRecipe& recipe : precision_recipes) {
    if (recipe.name != plain.substr(5)) continue;
    add(is_half ? "fp16" : "bf16", "");
    if (recipe.recipe == "nvfp4") add("fp4-format", "e2m1");
    if (recipe.fp8.empty()) return true;
    add("fp8-format", recipe.fp8);
    add("fp8-recipe", recipe.recipe);
    if (recipe.stores) add("fp8-param-gather", "");
    if (recipe.keeps_ends) add("first-last-layers-bf16", "");
    return true;
  }
  return false;
}

bool reduces_in_fp32(std::string_view name) { return !name.starts_with("fp16"); }

std::string name_of(const config::Value& fields, bool reduces_in_fp32) {
  const bool is_half = fields.find("fp16") != nullptr;
  if (is_half == reduces_in_fp32 || (!is_half && !fields.find("bf16"))) return {};
  const config::Value* scaled = fields.find(fields.find("fp4") ? "fp4_recipe" : "fp8_recipe");
  const config::Value* format = fields.find("fp8");
  for (const PrecisionRecipe& recipe : precision_recipes)
    if (recipe.recipe == (scaled ? scaled->text : "") && !recipe.keeps_ends &&
        recipe.fp8 == (format ? format->text : "") &&
        recipe.stores == (fields.find("fp8_param_gather") != nullptr))
      return (is_half ? "fp16_" : "bf16_") + std::string(recipe.name);
  return {};
}

}  // namespace pipewright::megatron_bridge
