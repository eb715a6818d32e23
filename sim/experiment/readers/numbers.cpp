// precision, gradients: number formats.
#include "experiment/readers.hpp"

namespace pipewright {

using config::Fields;
using config::Value;

/// A type, or fp8 with how it is scaled.
void read_precision(const Value& value, ExperimentOptions& options) {
  options.scaling = Scaling::delayed;
  options.amax_over = Axis::stage;
  if (!value.is_map()) {
    options.precision = static_cast<DType>(config::as_choice(value, choices::precision));
    return;
  }
  const Fields fields(value, "precision", keys::precision);
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
