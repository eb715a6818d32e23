#include "diagnose/tensor_groups.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "interop/nccl_kind.hpp"

namespace pipewright::diagnose {
namespace {

constexpr double summed_by_tensors = 0.1;  // of their bytes, in forward passes

bool is_summed(const ProfiledCollective& collective) {
  const interop::NcclKind kind = interop::nccl_kind(collective.name);
  return kind == interop::NcclKind::all_reduce || kind == interop::NcclKind::reduce_scatter;
}

/// Bytes, or how many calls where these are not known.
struct Moved {
  double forward = 0, all = 0;
};

}  // namespace

void tell_tensors_from_data(const RankProfile& profile, std::vector<DeviceOp>& ops) {
  const auto is_tensor = [](const DeviceOp& op) {
    return op.communicates && op.collective >= 0 && op.traffic == Traffic::tensor;
  };
  if (std::ranges::none_of(ops, &DeviceOp::goes_back)) return;
  std::map<std::string, Moved> by_group;
  const auto collective_of = [&](const DeviceOp& op) -> const ProfiledCollective& {
    return profile.collectives[static_cast<size_t>(op.collective)];
  };
  for (const DeviceOp& op : ops) {
    if (!is_tensor(op)) continue;
    const ProfiledCollective& collective = collective_of(op);
    Moved& moved = by_group[collective.ranks];
    const auto bytes = static_cast<double>(std::max<int64_t>(collective.bytes, 1));
    moved.all += bytes;
    if (is_summed(collective) && op.compute == ComputeKind::forward) moved.forward += bytes;
  }
  for (DeviceOp& op : ops) {
    if (!is_tensor(op) || names_traffic(collective_of(op))) continue;
    const Moved& moved = by_group[collective_of(op).ranks];
    if (moved.forward < summed_by_tensors * moved.all) op.traffic = Traffic::data;
  }
}

}  // namespace pipewright::diagnose
