#include "network/packet/marking.hpp"

#include "base/mixed.hpp"

namespace pipewright {
namespace {

/// A number from 0 to 1 by the seed, a flow and a count.
double drawn(uint64_t seed, uint32_t flow, uint32_t count) {
  return static_cast<double>(mixed(mixed(seed ^ flow) + count) >> 11) * 0x1p-53;
}

}  // namespace

bool is_marked(const Packet& packet, Bytes waiting, const PacketOptions& options) {
  if (!options.mark || waiting <= *options.mark) return false;
  if (options.control != RateControl::dcqcn) return true;
  constexpr double all_at = 40, most = 0.01;
  const double over = static_cast<double>(waiting.count) /
                      static_cast<double>(std::max<int64_t>(options.mark->count, 1));
  if (over >= all_at) return true;
  return drawn(~options.seed, packet.flow, packet.transmission) < most * (over - 1) / (all_at - 1);
}

bool is_small(const Packet& packet, const PacketOptions& options) {
  return options.small > 0 && drawn(options.seed, packet.flow, packet.number) < options.small;
}

}  // namespace pipewright
