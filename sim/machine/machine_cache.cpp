#include "machine/machine_cache.hpp"

#include <fmt/format.h>

#include "experiment/derived.hpp"
#include "experiment/hardware.hpp"
#include "machine/exchange_kernels.hpp"
#include "machine/run_options.hpp"

namespace pipewright {
namespace {

/// All that a machine is read from.
std::string key_of(const Experiment& experiment, const RunOptions& options) {
  std::string key = gives_times(experiment) ? "times given" : "model";
  key += options.expand_collectives ? "; expanded" : "; whole";
  key += fmt::format("; attention {}", static_cast<int>(fused_attention(experiment)));
  const MachineFactors& w = options.machine_factors;
  key += fmt::format("; {} {} {} {} {} {}", w.flops, w.memory_bandwidth, w.memory,
                     w.links ? name(*w.links) : "", w.bandwidth, w.latency);
  if (has_drawn_routes(experiment)) key += "; drawn routes";
  return key + exchange_text(experiment) + hardware_text(experiment);
}

}  // namespace

Machine MachineCache::of(const Experiment& experiment, const config::Catalogue& catalogue,
                         const RunOptions& options) {
  const std::string key = key_of(experiment, options);
  const std::lock_guard lock(mutex_);
  const auto found = machines_.find(key);
  if (found != machines_.end()) return found->second;
  Machine machine = read_machine(experiment, catalogue, options);
  machine.share_laid_links();
  return machines_.emplace(key, std::move(machine)).first->second;
}

Machine machine_of(const Experiment& experiment, const config::Catalogue& catalogue,
                   const RunOptions& options) {
  return options.machines ? options.machines->of(experiment, catalogue, options)
                          : read_machine(experiment, catalogue, options);
}

}  // namespace pipewright
