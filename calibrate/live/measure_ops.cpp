#include "calibrate/live/measure_ops.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/required.hpp"
#include "calibrate/live/executor/alone.hpp"

namespace pipewright::live {

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

std::string describe(const OpSource& source) {
  if (!source.measures) return "predicted as simulated";
  if (!source.measured_on) return "predicted from each op's time alone";
  const std::optional<kernels::CudaDevice> gpu = source.measured_on->gpu();
  return fmt::format(
      "predicted from each op's time alone on {} multiprocessors",
      required(gpu, "a share of multiprocessors is of a GPU").processors_per_partition);
}

OpTimes times_from(const OpSource& source, const Program& program, LiveDevice& device,
                   const Timeline& simulated,
                   const std::function<OpTimes(LiveDevice& device)>& measure) {
  if (!source.measures) return {durations_of(simulated), {}};
  if (!source.measured_on) return measure(device);
  const auto processors = [](const LiveDevice& of) {
    return static_cast<double>(of.gpu()->processors_per_partition);
  };
  return on_smaller_partitions(program, measure(*source.measured_on),
                               processors(*source.measured_on) / processors(device));
}

}  // namespace pipewright::live
