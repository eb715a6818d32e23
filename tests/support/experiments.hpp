// Experiments as text, for tests of what reads and runs them.
#pragma once

#include <string>

#include "config/catalogue.hpp"
#include "simulate/run.hpp"

namespace pipewright::test {

inline config::Value experiment(std::string_view yaml) { return config::parse(yaml, "x.yaml"); }

/// Four ranks, eight micro-batches, F 1 ms, B 2 ms of which W 1 ms, free transfers.
inline config::Value four_ranks(const std::string& schedule) {
  return experiment(
      "model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms,\n"
      "                    activation: 1 MiB, weights: 3 MiB}}\n"
      "cluster: {devices: 4, link: {latency: 0 s}}\n"
      "schedule: " +
      schedule + "\n");
}

inline Run run(const config::Value& experiment, bool fold = true) {
  return run_experiment(experiment, config::Catalogue{}, {.fold = fold});
}

/// A GPT of 8 blocks on `nodes` DGX A100.
inline config::Value small_gpt(const std::string& rest, int nodes = 2) {
  return experiment(
      "model: {transformer: {layers: 8, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 51200}}\n"
      "cluster: {node: dgx-a100-80g, nodes: " +
      std::to_string(nodes) +
      ", fabric: {kind: fat-tree, link: hdr, nics: 8}}\n"
      "batch: {global: 64, micro: 1, sequence: 1024}\n" +
      rest);
}

}  // namespace pipewright::test
