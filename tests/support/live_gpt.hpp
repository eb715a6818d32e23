// Small transformers that are trained live in tests.
#pragma once

#include <fmt/format.h>

#include <string>

#include "calibrate/replay/real_job.hpp"
#include "config/catalogue.hpp"

namespace pipewright::test {

struct LiveGpt {
  int pipeline = 4, data = 1, blocks = 8, micro_batches = 8;
  std::string schedule = "1f1b", optimizer = "momentum", more;
  int steps = 1;
  bool tied = true, bias = true;
};

inline replay::RealJob live_gpt(const LiveGpt& g) {
  const std::string yaml = fmt::format(
      "model: {{transformer: {{layers: {}, hidden: 16, heads: 2, ffn: 32, vocabulary: 16,\n"
      "                        tied_embeddings: {}, bias: {}}}}}\n"
      "cluster: {{devices: {}, device: {{flops: {{fp32: 1 TFLOP/s}}, memory: 1 GiB,\n"
      "           memory_bandwidth: 10 GB/s}}, link: {{latency: 1 us, bandwidth: 1 GB/s}}}}\n"
      "parallel: {{pipeline: {}, data: {}}}\n"
      "batch: {{global: {}, micro: 2, sequence: 24}}\n"
      "precision: fp32\noptimizer: {}\nschedule: {}\n{}\n",
      g.blocks, g.tied, g.bias, g.pipeline * g.data, g.pipeline, g.data,
      2 * g.micro_batches * g.data, g.optimizer, g.schedule, g.more);
  return replay::make_real_job(config::parse(yaml, "live.yaml"), config::Catalogue{},
                               {.steps = g.steps});
}

}  // namespace pipewright::test
