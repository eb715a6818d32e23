// A problem of a plan that is quick to solve.
#pragma once

#include "search/problem.hpp"
#include "support/experiments.hpp"

namespace pipewright::search {

/// A GPT of 4 blocks on 8 devices that no profile is read for: few plans, all of them quick.
inline Problem four_blocks(const config::Catalogue& catalogue, const std::string& more = "") {
  return {.experiment = test::experiment(
              "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, "
              "vocabulary: 32768}}\n"
              "cluster: {devices: 8, device: {flops: {bf16: 312 TFLOP/s}, memory: 80 GiB, "
              "memory_bandwidth: 2 TB/s}, link: {latency: 5 us, bandwidth: 100 GB/s}}\n"
              "batch: {global: 8, sequence: 256}\nschedule: 1f1b\n" +
              more),
          .catalogue = catalogue,
          .simulations = 1000,
          .jobs = 1};
}

}  // namespace pipewright::search
