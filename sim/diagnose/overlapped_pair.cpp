#include "diagnose/overlapped_pair.hpp"

#include <algorithm>
#include <vector>

namespace pipewright::diagnose {
namespace {

/// Of the exchanges of tokens: what runs beside kernels at all, and beside those of each direction.
/// Layers by themselves hide theirs behind shared experts at most, of their own direction.
constexpr double of_all = 0.8, of_each = 0.2;

/// The part of all exchanges that runs beside kernels of one direction.
double beside(const DeviceWork& work, bool back) {
  std::vector<const DeviceOp*> kernels;  // do not overlap on the stream that computes
  for (const DeviceOp& op : work.ops)
    if (op.computes() && op.compute != ComputeKind::optimizer &&
        (op.compute == ComputeKind::backward) == back)
      kernels.push_back(&op);
  Time all, both;
  for (const DeviceOp& op : work.ops) {
    if (!op.communicates || op.traffic != Traffic::expert) continue;
    all += op.end - op.start;
    Time from = op.start;
    auto kernel = std::ranges::lower_bound(kernels, op.start, {}, &DeviceOp::end);
    for (; kernel != kernels.end() && (*kernel)->start < op.end; ++kernel) {
      from = std::max(from, (*kernel)->start);
      both += std::max(std::min((*kernel)->end, op.end) - from, Time{});
      from = std::max(from, (*kernel)->end);
    }
  }
  return all > Time{} ? in_seconds(both) / in_seconds(all) : 0;
}

}  // namespace

bool is_overlapped_pair(const DeviceWork& work) {
  const double forward = beside(work, false), backward = beside(work, true);
  return forward > of_each && backward > of_each && forward + backward > of_all;
}

}  // namespace pipewright::diagnose
