// loss: a word, or the number of its chunks.
#include "experiment/readers.hpp"

namespace pipewright {

LossOptions read_loss(const config::Value& value) {
  if (!value.is_map())
    return {.kernel = static_cast<LossKernel>(config::as_choice(value, choices::loss))};
  const config::Fields fields(value, "loss", keys::loss);
  return {.kernel = LossKernel::chunked, .chunks = config::as_int(fields.at("chunks"), 1, 1 << 20)};
}

}  // namespace pipewright
