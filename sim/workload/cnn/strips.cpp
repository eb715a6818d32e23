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
#include "workload/cnn/strips.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "workload/cnn/strip_rows.hpp"

namespace pipewright::cnn {
namespace {

Operation exchange(const Exchange& by, double sent, double kept, bool first) {
  Operation operation;
  operation.forward_collective = {by.forward, Axis::context, whole_bytes(sent)};
  if (!first) operation.input_gradient_collective = {by.backward, Axis::context, whole_bytes(sent)};
  operation.saved = kept;
  return operation;
}

}  // namespace

Operations exchange_rows(const Share& share, const CnnStep& step, const Image& in, bool first) {
  if (share.strips == 1) return {};
  const int64_t above = step.pad_height;
  const int64_t below = std::max<int64_t>(0, step.height - step.pad_height - step.stride);
  if (in.height / share.strips < std::max<int64_t>({1, above, below})) {
    step.source.misfit(fmt::format("{} rows are too few for {} strips under a window of {}",
                                   in.height, share.strips, step.height));
  }
  const int64_t rows =
      rows_exchanged({in.height, step.height, step.stride, step.pad_height}, share.strips);
  if (rows == 0) return {};
  const double bytes = share.element() * static_cast<double>(share.samples) *
                       Image{in.channels, rows, in.width}.size();
  return {exchange({CollectiveKind::shift, CollectiveKind::shift}, bytes, bytes, first)};
}

Operations share_samples(const Exchange& by, const Image& in, bool first, Share& share) {
  if (share.strips == 1) return {};
  const double sent = share.bytes(in);
  share.samples = (share.samples + share.strips - 1) / share.strips;
  share.strips = 1;
  return {exchange(by, sent, share.bytes(in), first)};
}

}  // namespace pipewright::cnn
