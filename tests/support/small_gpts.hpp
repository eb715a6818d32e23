// Experiments that are drawn, for properties of what shares links.
#pragma once

#include <fmt/format.h>

#include <random>
#include <string>

#include "support/one_of.hpp"

namespace pipewright::test {

/// A small GPT on slow networks, so that messages, gradients and tensor ranks get in each other's
/// way.
inline std::string some_experiment(std::mt19937_64& random) {
  const std::string cluster = one_of<const char*>(
      random,
      {"{node: p3.8xlarge, nodes: 8, fabric: {kind: star, link: eth-10}}",
       "{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: eth-25, nics: 2}}",
       "{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: eth-25, nics: 8, "
       "switch_ports: 4, oversubscription: 2}}",
       "{node: dgx-a100-80g, nodes: 4, fabric: {kind: fat-tree, link: eth-25, nics: 8, "
       "switch_ports: 4}}",
       "{devices: 32, device: {flops: {fp16: 100 TFLOP/s}, memory: 80 GiB, memory_bandwidth: 2 "
       "TB/s}, link: {latency: 5 us, bandwidth: 2 GB/s}}"});
  const int tensor = one_of(random, {1, 2, 4}), pipeline = one_of(random, {2, 4});
  const int context = one_of(random, {1, 1, 2}), data = 32 / tensor / pipeline / context;
  const bool experts = random() % 3 == 0;
  return fmt::format(
      "model: {{transformer: {{layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: "
      "1024{}}}}}\n"
      "cluster: {}\n"
      "parallel: {{tensor: {}, pipeline: {}, context: {}, data: {}, zero: {}, expert: {}}}\n"
      "batch: {{global: {}, micro: 1, sequence: {}}}\n"
      "schedule: {}\n"
      "precision: fp16\n"
      "placement: {}\n"
      "overlap: {{p2p: {}, data: {}}}\n"
      "stragglers: [{}]\n",
      experts ? ", experts: {count: 8, active: 2, ffn: 512}" : "", cluster, tensor, pipeline,
      context, data, one_of(random, {0, 1}), experts ? one_of(random, {2, 4, 8}) : 1, 4 * data,
      one_of(random, {128, 1024}),
      one_of<const char*>(random,
                          {"1f1b", "gpipe", "zb-h1", "{name: interleaved-1f1b, virtual: 2}"}),
      one_of<const char*>(random, {"tp-cp-ep-dp-pp", "tp-cp-ep-pp-dp", "pp-cp-ep-dp-tp"}),
      one_of<const char*>(random, {"async", "sender"}), one_of(random, {"true", "false"}),
      random() % 3 == 0 ? fmt::format("{{device: {}, slowdown: 1.5}}", random() % 32) : "");
}

}  // namespace pipewright::test
