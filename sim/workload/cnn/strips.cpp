// Images that are cut into strips of rows, one for each device of a group (Dryden et al., arXiv
// 1903.06681; the adjoint of the exchange as in arXiv 2006.03108).
//
// A window of k rows that moves by s and is padded by p reaches p rows over the upper end of a
// strip and k - p - s over the lower one. Those rows go between neighbours before it computes,
// forward; backward the gradients of the same rows go home after it has. A device sends the rows
// for both neighbours through one port. Weights are whole everywhere: their gradients are reduced
// over the strips as over the replicas. Where images end, before the first dense layer or after the
// pool over all places, the group shares out samples instead. Rows and samples that do not divide
// are charged as the busiest device has them, and so are rows that go between neighbours only
// because strips do not divide; batch statistics are of a strip.
#include <fmt/format.h>

#include <algorithm>

#include "workload/cnn/builder.hpp"
#include "workload/cnn/strip_rows.hpp"

namespace pipewright::cnn {
namespace {

int64_t share_of(int64_t all, int64_t devices) { return (all + devices - 1) / devices; }

Operation exchange(CollectiveKind forward, CollectiveKind backward, double bytes, bool first) {
  Operation operation;
  operation.forward_collective = {forward, Axis::context, whole_bytes(bytes)};
  if (!first) operation.input_gradient_collective = {backward, Axis::context, whole_bytes(bytes)};
  return operation;
}

}  // namespace

/// Returns what the device with the tallest strip has of it.
Image Builder::local(const Image& image) const {
  return {image.channels, share_of(image.height, strips_), image.width};
}

void Builder::exchange_rows(const CnnStep& step, Operations& operations) const {
  if (strips_ == 1) return;
  const int64_t above = step.pad_height;
  const int64_t below = std::max<int64_t>(0, step.height - step.pad_height - step.stride);
  if (at_.height / strips_ < std::max<int64_t>({1, above, below})) {
    step.source.misfit(fmt::format("{} rows are too few for {} strips under a window of {}",
                                   at_.height, strips_, step.height));
  }
  const int64_t rows =
      rows_exchanged({at_.height, step.height, step.stride, step.pad_height}, strips_);
  if (rows == 0) return;
  const double bytes =
      element_ * static_cast<double>(samples_) * Image{at_.channels, rows, at_.width}.size();
  operations.push_back(exchange(CollectiveKind::shift, CollectiveKind::shift, bytes, first_));
  operations.back().saved = bytes;
}

/// Exchanges the present image, so far cut by rows, for whole images of a share of the samples.
void Builder::share_samples(CollectiveKind forward, CollectiveKind backward,
                            Operations& operations) {
  if (strips_ == 1) return;
  operations.push_back(exchange(forward, backward, bytes(at_), first_));
  samples_ = share_of(samples_, strips_);
  strips_ = 1;
  operations.back().saved = bytes(at_);
}

}  // namespace pipewright::cnn
