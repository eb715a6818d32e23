// Bytes on every link, for several sizes of a buffer side by side.
#pragma once

#include <span>
#include <vector>

#include "topology/topology.hpp"

namespace pipewright::collective {

/// Whole bytes as far as a double has them: their sum may be more than an int64_t holds.
class LinkLoads {
 public:
  LinkLoads(const Topology& topology, size_t sizes)
      : topology_(topology), sizes_(sizes), all_(topology.links().size() * sizes) {}

  size_t sizes() const { return sizes_; }
  /// Loads by size of a link; of its lower direction where both share the bandwidth.
  std::span<double> of(LinkId link) {
    const bool shared = topology_.links()[link].sharing == Sharing::shared;
    return {&all_[(shared ? std::min(link, opposite(link)) : link) * sizes_], sizes_};
  }
  /// Adds `times` the bytes, by size.
  void add(LinkId link, std::span<const double> bytes, double times = 1) {
    const std::span<double> loads = of(link);
    for (size_t size = 0; size < sizes_; ++size) loads[size] += times * bytes[size];
  }

 private:
  const Topology& topology_;
  size_t sizes_;
  std::vector<double> all_;
};

}  // namespace pipewright::collective
