// Traffic in time by the textbook, for tests: rates from progressive filling, anew at every start
// and end, in between which all flows move on at a constant rate.
#pragma once

#include "support/progressive_filling.hpp"

namespace pipewright::test {

struct TimedFlow {
  SharedFlow sharing;
  double bytes = 0;
  double start_s = 0;
};

class SteppedTraffic {
 public:
  SteppedTraffic(const std::vector<TimedFlow>& flows, const std::vector<double>& capacities)
      : flows_(flows), capacities_(capacities), ends_(flows.size(), -1) {
    for (const TimedFlow& flow : flows) left_.push_back(flow.bytes);
  }

  /// Seconds at which each flow ends; below zero for one that gets nothing for ever.
  std::vector<double> ends() {
    for (;;) {
      const std::vector<size_t> active = active_flows();
      const std::vector<double> rates = rates_of(active);
      const long double step = std::min(next_start(), next_end(active, rates));
      if (step == never) return ends_;
      for (size_t k = 0; k < active.size(); ++k) advance(active[k], rates[k], step);
      now_ += step;
    }
  }

 private:
  static constexpr long double never = std::numeric_limits<long double>::infinity();

  std::vector<size_t> active_flows() const {
    std::vector<size_t> active;
    for (size_t flow = 0; flow < flows_.size(); ++flow)
      if (ends_[flow] < 0 && flows_[flow].start_s <= now_) active.push_back(flow);
    return active;
  }

  std::vector<double> rates_of(const std::vector<size_t>& active) const {
    std::vector<SharedFlow> sharing;
    for (const size_t flow : active) sharing.push_back(flows_[flow].sharing);
    return progressive_filling(sharing, capacities_);
  }

  long double next_start() const {
    long double next = never;
    for (const TimedFlow& flow : flows_)
      if (flow.start_s > now_) next = std::min(next, flow.start_s - now_);
    return next;
  }

  long double next_end(const std::vector<size_t>& active, const std::vector<double>& rates) const {
    long double next = never;
    for (size_t k = 0; k < active.size(); ++k)
      if (rates[k] > slowest) next = std::min(next, left_[active[k]] / rates[k]);
    return next;
  }

  void advance(size_t flow, long double rate, long double step) {
    const bool ends = rate > slowest && left_[flow] / rate <= step * (1 + 1e-15L);
    left_[flow] = ends ? 0 : left_[flow] - rate * step;
    if (ends) ends_[flow] = static_cast<double>(now_ + step);
  }

  static constexpr double slowest = 1e-6;  ///< bytes/s; less is a rest of rounding
  const std::vector<TimedFlow>& flows_;
  const std::vector<double>& capacities_;
  std::vector<long double> left_;
  std::vector<double> ends_;
  long double now_ = 0;
};

}  // namespace pipewright::test
