#include "machine/anchor_factors.hpp"

#include "experiment/derived.hpp"

namespace pipewright {

AnchorParts anchor_factors(const Experiment& experiment, const Cluster& cluster) {
  const Device* device = cluster.device(0);
  const std::string name = device ? device->name : "";
  const bool serves =
      experiment.anchor && experiment.anchor->serves(framework_of_regime(experiment), name);
  return serves ? experiment.anchor->factors : prior_anchor().factors;
}

HostTimes times(const HostTimes& host, double factor) {
  if (factor == 1) return host;
  const auto longer = [&](Time time) { return seconds(in_seconds(time) * factor); };
  HostTimes scaled = host;
  for (Time* time : {&scaled.launch, &scaled.repeat, &scaled.collective}) *time = longer(*time);
  return scaled;
}

}  // namespace pipewright
