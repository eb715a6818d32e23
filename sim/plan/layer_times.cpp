#include "plan/layer_times.hpp"

#include <algorithm>
#include <functional>

#include "plan/segments_time.hpp"

namespace pipewright {
namespace {

template <class T>
bool alike(const std::vector<T>& all) {
  return std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
}

class TimesOnDevices {
 public:
  TimesOnDevices(std::span<const Layer> layers, const Grid& grid, const Prices& prices)
      : layers_(layers), grid_(grid), prices_(prices) {}

  /// Returns the times by layer, on the slowest device of `ranks`.
  std::vector<Time> on(const std::vector<int>& ranks) const {
    std::vector<Time> times(layers_.size());
    for (const int32_t device : unlike_devices(devices_of(ranks), prices_))
      for (size_t i = 0; i < layers_.size(); ++i)
        times[i] = std::max(times[i], time(layers_[i], grid_.mesh(ranks.front()), device));
    return times;
  }

 private:
  std::vector<int32_t> devices_of(const std::vector<int>& ranks) const {
    std::vector<int32_t> devices;
    for (const int rank : ranks) {
      const std::vector<int32_t>& more = grid_.mesh(rank).devices;
      devices.insert(devices.end(), more.begin(), more.end());
    }
    return devices;
  }

  /// Returns what the device takes, and what it waits for its host, as if that were ahead in no
  /// other layer.
  Time time(const Layer& layer, const Mesh& mesh, int32_t device) const {
    Time time;
    HostLoad load;
    for (const Segments* segments :
         {&layer.forward, &layer.recompute, &layer.input_gradient, &layer.weight_gradient}) {
      time += segments_time(*segments, prices_, mesh, device);
      if (prices_.host.launch > Time{}) load += host_load(*segments, prices_, mesh, device);
    }
    time += host_waits({&load, 1}, prices_.host).front();
    const double slowdown = prices_.slowdown_of(device);
    return slowdown == 1 ? time : seconds(in_seconds(time) * slowdown);
  }

  std::span<const Layer> layers_;
  const Grid& grid_;
  const Prices& prices_;
};

}  // namespace

std::vector<std::vector<Time>> layer_times(std::span<const Layer> layers, const Grid& grid,
                                           const Prices& prices, const StagePlacement& placement,
                                           int stages) {
  const TimesOnDevices times(layers, grid, prices);
  if (alike(prices.device_class) && alike(prices.slowdown)) return {times.on({0})};
  std::vector<std::vector<Time>> by_stage;
  for (int stage = 0; stage < stages; ++stage)
    by_stage.push_back(times.on(placement.ranks_of(stage)));
  return by_stage;
}

}  // namespace pipewright
