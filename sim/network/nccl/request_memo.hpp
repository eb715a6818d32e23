// Remembers what is known of the groups of a program, which asks for the same few over and over.
#pragma once

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
  std::mutex mutex_;
  std::unordered_map<std::vector<int>, NcclRequest, boost::hash<std::vector<int>>> requests_;
};

}  // namespace pipewright
