// What one device has of every micro-batch's images, in numbers and bytes.
#pragma once

#include "workload/cnn/cnn_shape.hpp"
#include "workload/workload_options.hpp"

namespace pipewright::cnn {

struct Share {
  DType dtype;      ///< of images and weights
  DType gradients;  ///< those of weights are added up in
  bool casts =
      false;  ///< weights are in fp32, and convolutions cast them; transformer/autocast.cpp
  int64_t micro_batch = 1;
  int64_t samples = 1;  ///< of the micro-batch, that are here
  int64_t strips = 1;   ///< of every image; one is here

  /// Returns what the device with the tallest strip has of it.
  Image local(const Image& image) const;
  double element() const { return element_bytes(dtype); }
  double gradient_element() const { return element_bytes(gradients); }
  /// Returns the bytes of what one device has of a micro-batch of `image`.
  double bytes(const Image& image) const;
  /// A kernel that only reads and writes so many bytes.
  Work stream(Kernel kernel, Direction direction, double read, double written) const;
};

/// The whole of every micro-batch, but for its strips.
Share make_share(const WorkloadOptions& options);

}  // namespace pipewright::cnn
