#include "network/packet/pauses.hpp"

#include <algorithm>
#include <utility>

namespace pipewright {

Pauses::Pauses(size_t ports, const PacketOptions& options)
    : at_(options.pause), levels_(static_cast<uint32_t>(options.priorities)) {
  if (!at_) return;
  stopped_.resize(ports * levels_);
  stopped_by_.resize(ports * levels_);
}

bool Pauses::stops(uint32_t queue, const Stopped& from, Bytes bytes) {
  if (!at_ || bytes <= *at_) return false;
  std::vector<Stopped>& all = stopped_[queue];
  if (std::ranges::find(all, from.port, &Stopped::port) != all.end()) return false;
  all.push_back(from);
  return true;
}

std::vector<Pauses::Stopped> Pauses::released(uint32_t queue, Bytes bytes) {
  if (!at_ || bytes > *at_) return {};
  return std::exchange(stopped_[queue], {});
}

}  // namespace pipewright
