// Times of messages whose bytes are spread over several routes between nodes.
//
// A price counts the first route. The part of it in which bytes move takes B / A times as long:
//
//   B bytes/s: bottleneck of the first route
//   A bytes/s: of all routes that the message takes, each with its part of the bytes
//
// Routes that cost the same are as long as the first: what is latency stays.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "engine/price.hpp"
#include "experiment/option_types.hpp"
#include "topology/spreading.hpp"
#include "topology/topology.hpp"

namespace pipewright {

/// The links of a machine as prices count them and as routes are spread over them.
struct SpreadLinks {
  const Topology& priced;
  const Topology& spread;
};

class SpreadTimes final : public PriceSource {
 public:
  /// `times` are by the first route; what `links` refers to must live as long as they do.
  SpreadTimes(std::shared_ptr<const PriceSource> times, SpreadLinks links,
              const Spreading& spreading)
      : times_(std::move(times)), links_(links), spreading_(spreading) {}

  Time compute(const Work& work, int32_t device) const override {
    return times_->compute(work, device);
  }
  Time transfer(int32_t from, int32_t to, Bytes bytes) const override;
  Time collective(CollectiveKind kind, std::span<const int32_t> devices,
                  Bytes bytes) const override {
    return times_->collective(kind, devices, bytes);
  }
  Time host_copy(int32_t device, Bytes bytes) const override {
    return times_->host_copy(device, bytes);
  }
  std::optional<double> transfer_moving(int32_t from, int32_t to, Bytes bytes) const override;
  std::optional<double> collective_moving(CollectiveKind kind, std::span<const int32_t> devices,
                                          Bytes bytes) const override {
    return times_->collective_moving(kind, devices, bytes);
  }
  /// Returns the same with routes drawn by another seed.
  std::shared_ptr<const SpreadTimes> drawn_by(uint64_t seed) const;

 private:
  /// Returns how many times as long bytes move as over the first route.
  double stretch(int32_t from, int32_t to) const;

  std::shared_ptr<const PriceSource> times_;
  SpreadLinks links_;
  Spreading spreading_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<int32_t, int32_t>, double> known_;  // by sender and receiver
};

/// Returns how bytes are spread between nodes, packets that are sprayed included.
Spreading spreading_of(const NetworkOptions& network);

/// Draws the routes that prices count by a seed, where they are drawn.
void draw_routes(uint64_t seed, Prices& prices);

}  // namespace pipewright
