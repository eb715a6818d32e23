#include "experiment/variation.hpp"

namespace pipewright {

Variation read_variation(const config::Value& value) {
  const config::Fields fields(value, "variation", {"compute_spread", "kernel_spread", "seeds"});
  Variation variation;
  variation.compute_spread = config::as_fraction(fields.at("compute_spread"), 0, 1);
  variation.kernel_spread = variation.compute_spread / 10;
  if (const config::Value* spread = fields.find("kernel_spread"))
    variation.kernel_spread = config::as_fraction(*spread, 0, 1);
  variation.seeds = static_cast<int>(fields.integer("seeds", 20, 1, 10000));
  return variation;
}

}  // namespace pipewright
