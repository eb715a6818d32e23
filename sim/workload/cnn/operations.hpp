// The operations of a convolutional network's steps: each from the image that goes in and the one
// that comes out.
#pragma once

#include "workload/cnn/share.hpp"
#include "workload/operation.hpp"

namespace pipewright::cnn {

/// The images around an operation.
struct Around {
  Image in, out;
  bool first = false;  ///< nothing before it needs a gradient
};

/// The image that the windows of `step` make of `in`. Throws InputError where no window fits.
Image windows(const CnnStep& step, const Image& in, int64_t channels);

Operation convolution(const Share& share, const CnnShape& shape, const CnnStep& step,
                      const Around& images);
/// Every input place makes a window of outputs of its own.
Operation up_convolution(const Share& share, const CnnStep& step, const Around& images);
/// `images.in` is one place with all inputs as its channels.
Operation dense(const Share& share, const Around& images, bool has_activation);
Operation pool(const Share& share, const CnnStep& step, const Around& images);
Operation global_pool(const Share& share, const Around& images);
/// Throws InputError where the channels are not queries, keys and values, and Misfit where images
/// are cut.
Operation attention(const Share& share, const CnnStep& step, const Image& in);
/// One tensor from `parts` of the same size together: read, written, and in the backward pass the
/// gradients of what they were made from added up.
Operation joined(const Share& share, const Image& sum, double parts);
/// Softmax and cross entropy over what is there.
Operation loss(const Share& share, const Image& in);

/// Runs the convolution `operation` by the algorithm that libraries choose for it.
void choose_algorithm(const Share& share, const CnnShape& shape, const CnnStep& step,
                      const Around& images, Operation& operation);

}  // namespace pipewright::cnn
