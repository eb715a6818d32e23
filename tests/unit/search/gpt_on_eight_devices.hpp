// A GPT on eight devices to search plans for.
#pragma once

#include "machine/machine_cache.hpp"
#include "search/problem.hpp"
#include "support/experiments.hpp"

namespace pipewright::search {

/// An experiment that no profile is read for. `layers` are keys of its transformer ("layers: 4"),
/// `more` are other keys.
inline config::Value gpt_on_eight_devices(const std::string& layers, const std::string& more) {
  return test::experiment(
      "model: {transformer: {" + layers +
      ", hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}\n"
      "cluster: {devices: 8, device: {flops: {bf16: 312 TFLOP/s}, memory: 80 GiB, "
      "memory_bandwidth: 2 TB/s}, link: {latency: 5 us, bandwidth: 100 GB/s}}\n"
      "schedule: 1f1b\n" +
      more);
}

/// A search for plans of it whose simulations share their machines.
inline Problem on_shared_machines(const config::Catalogue& catalogue, const std::string& layers,
                                  const std::string& more = "") {
  return {.experiment = gpt_on_eight_devices(layers, "batch: {global: 16, sequence: 512}\n" + more),
          .catalogue = catalogue,
          .run = {.machines = std::make_shared<MachineCache>()},
          .simulations = 10'000,
          .jobs = 1};
}

}  // namespace pipewright::search
