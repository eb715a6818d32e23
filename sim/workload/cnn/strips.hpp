// What devices exchange that have a strip of rows of every image each.
#pragma once

#include "workload/cnn/operations.hpp"

namespace pipewright::cnn {

/// The rows of `in` that neighbours exchange for the windows of `step`; empty where none go. Throws
/// Misfit where strips have fewer rows than their neighbours need.
Operations exchange_rows(const Share& share, const CnnStep& step, const Image& in, bool first);

/// The collectives of both passes.
struct Exchange {
  CollectiveKind forward, backward;
};

/// Exchanges `in`, so far cut by rows, for whole images of a share of the samples, which `share`
/// says afterwards. Empty where images are whole.
Operations share_samples(const Exchange& by, const Image& in, bool first, Share& share);

}  // namespace pipewright::cnn
