#include "machine/exchange_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/required.hpp"
#include "config/catalogue.hpp"
#include "experiment/token_kernels.hpp"
#include "workload/model/model.hpp"

namespace pipewright {
namespace {

const Experts& experts_of(const Experiment& experiment) {
  return required(experiment.model_or_fail().transformer.experts, "who sends tokens has experts");
}

/// Returns the name of the library among the dispatchers of the catalogue.
const char* library(DispatchKernels kernels, const Cluster& cluster) {
  if (kernels == DispatchKernels::deepep_low_latency) return "deepep-low-latency";
  if (kernels == DispatchKernels::automatic) kernels = automatic_kernels(cluster);
  return kernels == DispatchKernels::hybridep ? "hybridep" : "deepep";
}

}  // namespace

DispatchKernels automatic_kernels(const Cluster& cluster) {
  const bool in_racks = std::ranges::any_of(
      cluster.device_types, [](const Device& device) { return device.name.starts_with("gb"); });
  return in_racks ? DispatchKernels::hybridep : DispatchKernels::deepep;
}

std::optional<Exchange> exchange_of(const Experiment& experiment, const Cluster& cluster,
                                    const config::Catalogue& catalogue) {
  if (!sends_by_library(experiment)) return std::nullopt;
  const char* name = library(experiment.dispatch.kernels, cluster);
  return Exchange{exchange_rates(name, catalogue), experts_of(experiment)};
}

std::string exchange_text(const Experiment& experiment) {
  if (!sends_by_library(experiment)) return {};
  const Experts& e = experts_of(experiment);
  return fmt::format("; tokens by {} to {} experts, {} {} {} {}",
                     static_cast<int>(experiment.dispatch.kernels), e.count, e.active, e.zero,
                     e.groups, e.active_groups);
}

}  // namespace pipewright
