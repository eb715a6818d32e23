// The time that NCCL takes for a collective that has its links to itself.
#pragma once

#include "network/nccl/choice.hpp"
#include "network/nccl/profile.hpp"

namespace pipewright {

struct NcclTime {
  NcclChoice choice;
  double fixed_s = 0;   ///< latencies: passes whatever else is on the links
  double moving_s = 0;  ///< bytes: longer where links are shared
  double total_s() const { return fixed_s + moving_s; }
};

/// `request.bytes` as nccl-tests counts.
NcclTime nccl_time(const CollectiveProfile& profile, const NcclRequest& request);

/// One message from one device to another.
NcclTime nccl_message_time(const CollectiveProfile& profile, const NcclRequest& request);

}  // namespace pipewright
