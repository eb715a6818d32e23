#include "diagnose/mean_kernels.hpp"

#include <map>
#include <string>

namespace pipewright::diagnose {

std::vector<KernelNameTime> mean_kernels(const std::vector<std::vector<KernelNameTime>>& ranks) {
  std::map<std::string, double> seconds_of;
  for (const std::vector<KernelNameTime>& rank : ranks)
    for (const KernelNameTime& kernel : rank)
      seconds_of[kernel.name] += kernel.measured_s / static_cast<double>(ranks.size());
  std::vector<KernelNameTime> all;
  for (const auto& [name, seconds] : seconds_of) all.push_back({name, seconds});
  return all;
}

}  // namespace pipewright::diagnose
