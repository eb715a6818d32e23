#include <map>

#include "study/prepare.hpp"

namespace pipewright {

Time segments_time(const Segments& segments, const Prices& prices, const Grid& grid) {
  return segments_time(segments, prices, grid, grid.devices.front());
}

Time segments_time(const Segments& segments, const Prices& prices, const Grid& grid,
                   int32_t device) {
  const std::span<const int32_t> group(grid.devices.data(), static_cast<size_t>(grid.tensor));
  Time computed, communicated;
  std::map<int, Time> ends;  // of the last collective, by chain
  for (const Segment& segment : segments) {
    computed = std::max(computed, segment.joins ? communicated : ends[segment.chain]);
    for (const Work& work : segment.kernels) computed += prices.compute(work, device);
    if (!segment.collective || segment.collective->axis != Axis::tensor || grid.tensor == 1)
      continue;
    communicated = std::max(communicated, computed) +
                   prices.collective(segment.collective->kind, group, segment.collective->bytes);
    ends[segment.chain] = communicated;
  }
  return std::max(computed, communicated);
}

}  // namespace pipewright
