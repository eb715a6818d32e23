#include "calibrate/replay/measure_ops.hpp"

#include <algorithm>

#include "calibrate/replay/alone.hpp"

namespace pipewright::replay {

OpTimes measure_ops(const Program& program, LiveDevice& device, int most_copies,
                    const std::function<std::shared_ptr<DeviceWork>(int copy)>& work_of) {
  const auto measure = [&](int copies) {
    const int warm_ups = 1, samples = copies > 1 ? 1 : 3;  // of copies each is a sample
    std::vector<Timeline> timelines;
    for (int i = 0; i < warm_ups + samples; ++i) {
      std::vector<std::shared_ptr<DeviceWork>> works;
      std::vector<DeviceWork*> each;
      for (int k = 0; k < copies; ++k) each.push_back(works.emplace_back(work_of(k)).get());
      std::vector<Timeline> run = device.run_alone(program, each);
      if (i >= warm_ups) std::move(run.begin(), run.end(), std::back_inserter(timelines));
    }
    return typical_durations(program, timelines);
  };
  OpTimes times{measure(1), {}};
  const int copies = std::min(device.copies_at_once(program), most_copies);
  if (copies > 1) times.memory = shares_of_memory(times.alone, measure(copies), copies);
  return times;
}

}  // namespace pipewright::replay
