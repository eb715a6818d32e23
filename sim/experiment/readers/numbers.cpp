// precision, gradients: number formats.
#include <fmt/format.h>

#include <vector>

#include "experiment/readers.hpp"

namespace pipewright {

using config::Fields;
using config::Value;

namespace {

/// Reads what products cast to beside weights in fp32.
void read_autocast(const Fields& fields, const Value& format, ExperimentOptions& options) {
  for (const char* key : {"fp8", "amax"})
    if (const Value* other = fields.find(key))
      other->fail(
          fmt::format("{}: it is about products in fp8, and means nothing beside 'autocast'", key));
  const bool half = config::as_choice(format, choices::precision_autocast) == 0;
  options.precision = half ? DType::fp16 : DType::bf16;
  options.autocast = true;
}

/// A recipe by its class in Transformer Engine (common/recipe/__init__.py).
struct Recipe {
  std::string_view name;
  DType precision;
  Scaling scaling = Scaling::delayed;
};
constexpr Recipe recipes[] = {{"DelayedScaling", DType::fp8, Scaling::delayed},
                              {"Float8CurrentScaling", DType::fp8, Scaling::tensorwise},
                              {"Float8BlockScaling", DType::fp8, Scaling::blockwise},
                              {"MXFP8BlockScaling", DType::fp8, Scaling::mxfp8},
                              {"NVFP4BlockScaling", DType::nvfp4}};

/// Reads a type or a recipe.
void read_word(const Value& value, ExperimentOptions& options) {
  for (const std::string_view scaling : choices::precision_fp8)
    if (value.text == scaling)
      value.fail(fmt::format("'{0}' is a recipe of fp8; did you mean '{{fp8: {0}}}'?", scaling));
  std::vector<std::string_view> words(std::begin(choices::precision), std::end(choices::precision));
  for (const Recipe& recipe : recipes) words.push_back(recipe.name);
  const size_t word = config::as_choice(value, words), types = std::size(choices::precision);
  options.precision = word < types ? static_cast<DType>(word) : recipes[word - types].precision;
  if (word >= types) options.scaling = recipes[word - types].scaling;
}

}  // namespace

/// A type, fp8 with how it is scaled, or what products cast to.
void read_precision(const Value& value, ExperimentOptions& options) {
  options.scaling = Scaling::delayed;
  options.amax_over = Axis::stage;
  options.autocast = false;
  if (!value.is_map()) {
    read_word(value, options);
    return;
  }
  const Fields fields(value, "precision", keys::precision);
  if (const Value* format = fields.find("autocast")) return read_autocast(fields, *format, options);
  if (!fields.find("fp8"))
    value.fail("precision is a word such as 'bf16', or a map with 'fp8' or 'autocast'");
  options.precision = DType::fp8;
  options.scaling =
      static_cast<Scaling>(config::as_choice(fields.at("fp8"), choices::precision_fp8));
  const Value* amax = fields.find("amax");
  if (!amax) return;
  if (options.scaling != Scaling::delayed)
    amax->fail("amax: only under 'fp8: delayed' do ranks agree after a pass");
  const bool whole_stage = config::as_choice(*amax, choices::precision_amax) == 0;
  options.amax_over = whole_stage ? Axis::stage : Axis::tensor_context;
}

DType read_gradients(const Value& value) {
  constexpr DType types[] = {DType::fp32, DType::fp16, DType::bf16};
  return types[config::as_choice(value, choices::gradients)];
}

}  // namespace pipewright
