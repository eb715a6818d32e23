#include "diagnose/against_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

namespace pipewright::diagnose {

void hold_against(const Metrics& predicted, Diagnosis& diagnosis) {
  diagnosis.predicted = {in_seconds(predicted.iteration), predicted.breakdown};
  if (diagnosis.kernels.empty()) return;
  std::map<std::string, double> times;
  for (const KernelTime& kernel : predicted.detail.kernels) times[kernel.kernel] += kernel.time_s;
  for (KernelKindTime& measured : diagnosis.kernels) {
    const auto found = times.find(measured.kind);
    if (found == times.end()) continue;
    measured.predicted_s = found->second;
    times.erase(found);
  }
  // What is predicted and was not seen: or seen under another name.
  for (const auto& [kind, seconds] : times) diagnosis.kernels.push_back({kind, 0, seconds});
  std::ranges::stable_sort(diagnosis.kernels, std::greater{}, [](const KernelKindTime& kernel) {
    return std::abs(kernel.measured_s - kernel.predicted_s);
  });
}

}  // namespace pipewright::diagnose
