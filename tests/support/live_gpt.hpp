// Small models that are trained live in tests.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "calibrate/live/work/real_job.hpp"
#include "calibrate/live/work/real_work.hpp"
#include "calibrate/train/reference/reference.hpp"
#include "config/catalogue.hpp"

namespace pipewright::test {

/// An experiment around a model; `batch` beside its global size.
struct LiveModel {
  std::string model, batch;
  int pipeline = 4, data = 1, tensor = 1, spatial = 1, micro_batches = 8;
  std::string schedule = "1f1b", optimizer = "momentum", more;
  int steps = 1;
  double learning_rate = 0;  ///< 0: the optimizer's
  int micro = 2;             ///< sequences of a micro-batch
  std::string parallel;      ///< more of it, as ", tensor_kind: 3d"
};

inline live::RealJob live_job(const LiveModel& m) {
  const std::string yaml = fmt::format(
      "model: {}\n"
      "cluster: {{devices: {}, device: {{flops: {{fp32: 1 TFLOP/s}}, memory: 1 GiB,\n"
      "           memory_bandwidth: 10 GB/s}}, link: {{latency: 1 us, bandwidth: 1 GB/s}}}}\n"
      "parallel: {{pipeline: {}, data: {}, tensor: {}, spatial: {}{}}}\n"
      "batch: {{global: {}, micro: {}{}}}\n"
      "precision: fp32\noptimizer: {}\nschedule: {}\n{}\n",
      m.model, m.pipeline * m.data * m.tensor * m.spatial, m.pipeline, m.data, m.tensor, m.spatial,
      m.parallel, m.micro * m.micro_batches * m.data, m.micro, m.batch, m.optimizer, m.schedule,
      m.more);
  return live::make_real_job(config::parse(yaml, "live.yaml"), config::Catalogue{},
                             {.steps = m.steps, .learning_rate = m.learning_rate});
}

struct LiveGpt {
  int pipeline = 4, data = 1, tensor = 1, blocks = 8, micro_batches = 8;
  std::string schedule = "1f1b", optimizer = "momentum", more;
  int steps = 1;
  bool tied = true, bias = true;
};

inline live::RealJob live_gpt(const LiveGpt& g) {
  return live_job({.model = fmt::format(
                       "{{transformer: {{layers: {}, hidden: 16, heads: 2, ffn: 32, vocabulary: "
                       "16, tied_embeddings: {}, bias: {}}}}}",
                       g.blocks, g.tied, g.bias),
                   .batch = ", sequence: 24",
                   .pipeline = g.pipeline,
                   .data = g.data,
                   .tensor = g.tensor,
                   .micro_batches = g.micro_batches,
                   .schedule = g.schedule,
                   .optimizer = g.optimizer,
                   .more = g.more,
                   .steps = g.steps});
}

inline train::Trained run_job(const live::RealJob& job, kernels::Kernels& kernels) {
  live::RealWork work(job.program, job.prepared.schedule, job.model, job.training, kernels);
  live::run_live(job.program, work);
  return work.result();
}

/// Trains live and on one device and expects the same weights and losses.
inline void expect_as_on_one_device(const live::RealJob& job, const train::PassReads& reads) {
  const auto kernels = kernels::cpu_kernels();
  const train::Trained live = run_job(job, *kernels);
  const train::Trained alone = train::train_reference(job.model, job.training, reads, *kernels);
  EXPECT_LT(train::relative_difference(live, alone), 1e-5);
  ASSERT_EQ(live.losses.size(), alone.losses.size());
  for (size_t t = 0; t < alone.losses.size(); ++t)
    EXPECT_NEAR(live.losses[t], alone.losses[t], 1e-5 * alone.losses[t]);
}

/// A synchronous schedule with m micro-batches a step reads what the step before made.
inline train::PassReads in_step(int m) {
  const auto reads = [m](int, int micro_batch) { return train::Reads{micro_batch / m, 0}; };
  return {reads, reads};
}

}  // namespace pipewright::test
