#include "network/nccl/request_memo.hpp"

#include "network/nccl/model.hpp"

namespace pipewright {

NcclRequest RequestMemo::request(const Topology& topology, std::span<const int> devices) {
  const std::lock_guard lock(mutex_);
  const auto found = requests_.find(devices);
  if (found != requests_.end()) return found->second;
  std::vector<int> group(devices.begin(), devices.end());
  return requests_.emplace(std::move(group), request_on(topology, devices)).first->second;
}

}  // namespace pipewright
