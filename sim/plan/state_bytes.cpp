#include "plan/state_bytes.hpp"

namespace pipewright {

double bytes_of(Moments format) {
  constexpr double scaled_together = 2048;
  switch (format) {
    case Moments::fp32:
      return 4;
    case Moments::bf16:
      return 2;
    case Moments::fp8:
      return 1;
    case Moments::int8:
      return 1 + 4 / scaled_together;
  }
  return 4;
}

int moments_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::adam:
    case Optimizer::adamw:
    case Optimizer::lamb:
    case Optimizer::shampoo:
    case Optimizer::soap:
      return 2;
    case Optimizer::momentum:
    case Optimizer::rmsprop:
    case Optimizer::muon:
      return 1;
    case Optimizer::sgd:
    case Optimizer::adafactor:
      return 0;
  }
  return 0;
}

double moment_bytes(const StateOptions& options) {
  return bytes_of(options.moments) * moments_of(options.optimizer);
}

double weight_bytes(const StateOptions& options) {
  return element_bytes(options.autocast ? DType::fp32 : activation_dtype(options.precision));
}

double narrow_bytes(const StateOptions& options) {
  return stored_bytes(options.stored, weight_bytes(options));
}

double master_bytes(const StateOptions& options) {
  if (weight_bytes(options) >= 4) return 0;
  switch (options.master_weights) {
    case MasterWeights::fp32:
      return 4;
    case MasterWeights::remainders:
      return 4 - weight_bytes(options);
    case MasterWeights::none:
      return 0;
  }
  return 4;
}

double optimizer_bytes(const StateOptions& options) {
  return master_bytes(options) + moment_bytes(options);
}

}  // namespace pipewright
