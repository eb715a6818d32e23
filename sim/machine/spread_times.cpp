#include "machine/spread_times.hpp"

#include <algorithm>

#include "network/footprint.hpp"

namespace pipewright {

// Two threads may both find what is new; both find the same.
double SpreadTimes::stretch(int32_t from, int32_t to) const {
  if (links_.priced.node(from) == links_.priced.node(to)) return 1;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find({from, to}); found != known_.end()) return found->second;
  }
  const double first = links_.priced.route(from, to).bottleneck.bytes_per_s;
  const double all = message_footprint(links_.spread, from, to, spreading_).bandwidth;
  const std::lock_guard lock(mutex_);
  return known_[{from, to}] = first / all;
}

Time SpreadTimes::transfer(int32_t from, int32_t to, Bytes bytes) const {
  const Time whole = times_->transfer(from, to, bytes);
  const double stretch = this->stretch(from, to);
  if (stretch == 1) return whole;
  const double whole_s = in_seconds(whole);
  const double moving_s =
      std::min(whole_s, times_->transfer_moving(from, to, bytes)
                            .value_or(static_cast<double>(bytes.count) /
                                      links_.priced.route(from, to).bottleneck.bytes_per_s));
  return seconds(whole_s + moving_s * (stretch - 1));
}

std::optional<double> SpreadTimes::transfer_moving(int32_t from, int32_t to, Bytes bytes) const {
  const std::optional<double> moving_s = times_->transfer_moving(from, to, bytes);
  if (!moving_s) return std::nullopt;
  return *moving_s * stretch(from, to);
}

std::shared_ptr<const SpreadTimes> SpreadTimes::drawn_by(uint64_t seed) const {
  Spreading drawn = spreading_;
  drawn.seed = seed;
  return std::make_shared<const SpreadTimes>(times_, links_, drawn);
}

Spreading spreading_of(const NetworkOptions& network) {
  if (network.kind == NetworkKind::packet && network.packet.spray)
    return {.how = Spreading::How::all};
  return network.flow.spreading;
}

void draw_routes(uint64_t seed, Prices& prices) {
  if (const auto* times = dynamic_cast<const SpreadTimes*>(prices.source.get()))
    prices.source = times->drawn_by(seed);
}

}  // namespace pipewright
