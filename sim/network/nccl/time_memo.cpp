#include "network/nccl/time_memo.hpp"

#include <boost/container_hash/hash.hpp>

namespace pipewright {

// Most requests that differ do so in one of these.
size_t TimeMemo::Hash::operator()(const Key& key) const {
  const NcclRequest& r = key.request;
  size_t hash = static_cast<size_t>(r.kind);
  boost::hash_combine(hash, r.ranks);
  boost::hash_combine(hash, r.nodes);
  boost::hash_combine(hash, r.ring_bandwidth);
  boost::hash_combine(hash, r.bytes.count);
  return hash;
}

NcclTime TimeMemo::of(const GroupProfiles& profiles, const NcclRequest& request) {
  return times_.of({profiles, request}, [&] { return nccl_time(profiles, request); });
}

}  // namespace pipewright
