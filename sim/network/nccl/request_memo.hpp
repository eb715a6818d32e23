// Remembers what is known of the groups of a program, which asks for the same few over and over.
#pragma once

#include <algorithm>
#include <boost/container_hash/hash.hpp>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "network/nccl/choice.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// request_on() by group, each found once; from any thread.
class RequestMemo {
 public:
  NcclRequest request(const Topology& topology, std::span<const int> devices);

 private:
  /// A hash of a few members: groups that have them all in common are rare, and large ones many.
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::span<const int> devices) const {
      constexpr size_t looked_at = 8;
      size_t hash = devices.size();
      for (size_t k = 0; k < devices.size(); k += devices.size() / looked_at + 1)
        boost::hash_combine(hash, devices[k]);
      return hash;
    }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(std::span<const int> a, std::span<const int> b) const {
      return std::ranges::equal(a, b);
    }
  };

  std::mutex mutex_;
  std::unordered_map<std::vector<int>, NcclRequest, Hash, Same> requests_;
};

}  // namespace pipewright
