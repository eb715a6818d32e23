#include "workload/cnn/share.hpp"

namespace pipewright::cnn {

Share make_share(const WorkloadOptions& options) {
  return {.dtype = activation_dtype(options.precision),
          .gradients = options.gradients,
          .casts = options.autocast,
          .micro_batch = options.micro_batch,
          .samples = options.micro_batch,
          .strips = options.context_split.strips};
}

Image Share::local(const Image& image) const {
  return {image.channels, (image.height + strips - 1) / strips, image.width};
}

double Share::bytes(const Image& image) const {
  return element() * static_cast<double>(samples) * local(image).size();
}

Work Share::stream(Kernel kernel, Direction direction, double read, double written) const {
  return {.kernel = kernel,
          .dtype = dtype,
          .direction = direction,
          .read = whole_bytes(read),
          .written = whole_bytes(written)};
}

}  // namespace pipewright::cnn
