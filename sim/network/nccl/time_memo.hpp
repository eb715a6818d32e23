// Remembers the times of NCCL's collectives: groups of a program that are placed alike ask for the
// same, and a time is the least over many sizes.
#pragma once

#include "base/memo.hpp"
#include "network/nccl/device_profiles.hpp"

namespace pipewright {

/// nccl_time() by profiles and request, each found once; from any thread.
class TimeMemo {
 public:
  /// The profiles must outlive it.
  NcclTime of(const GroupProfiles& profiles, const NcclRequest& request);

 private:
  struct Key {
    GroupProfiles profiles;
    NcclRequest request;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  Memo<Key, NcclTime, Hash> times_;
};

}  // namespace pipewright
