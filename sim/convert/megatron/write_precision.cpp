#include <algorithm>

#include "convert/megatron/constant_arguments.hpp"
#include "convert/megatron/writers.hpp"

namespace pipewright::megatron {
namespace {

std::string fp8_format_of(const Experiment& e, std::string_view recipe) {
  const std::vector<ModelConstant> constants = job::model_constants(e);
  const auto said = std::ranges::find(constants, Constant::fp8_format, &ModelConstant::what);
  return said == constants.end() ? std::string(usual_fp8_format(recipe)) : said->said.text;
}

void write_fp8(const Experiment& e, ArgumentLines& out) {
  static constexpr const char* recipes[] = {"delayed", "tensorwise", "blockwise", "mxfp8"};
  const std::string_view recipe = recipes[static_cast<size_t>(e.scaling)];
  out.add("fp8-format", fp8_format_of(e, recipe));
  out.add("fp8-recipe", recipe);
  const config::Value* precision = e.document.find("precision");
  const config::Value* amax = precision && precision->is_map() ? precision->find("amax") : nullptr;
  if (amax && amax->text == "tensor") out.add("tp-only-amax-red");
  if (e.weights == StoredWeights::fp8) out.add("fp8-param-gather");
}

}  // namespace

void write_precision(const Experiment& e, ArgumentLines& out) {
  const DType type = e.precision;
  if (type == DType::fp16) out.add("fp16");
  if (type == DType::bf16 || type == DType::fp8 || type == DType::nvfp4) out.add("bf16");
  if (type == DType::nvfp4) {
    out.add("fp4-format", "e2m1");
    out.add("fp4-recipe", "nvfp4");
  }
  if (type == DType::fp8) write_fp8(e, out);
  if (e.kept.activation_inputs == KeptInputs::fp8) out.add("activation-func-fp8-input-store");
  if (type == DType::fp16 && e.gradients == DType::fp32)
    out.add("accumulate-allreduce-grads-in-fp32");
  if (type != DType::fp16 && e.gradients == DType::bf16) out.add("grad-reduce-in-bf16");
}

}  // namespace pipewright::megatron
