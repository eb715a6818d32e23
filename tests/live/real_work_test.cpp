#include "calibrate/live/work/real_work.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "calibrate/live/executor/stream_executor.hpp"
#include "calibrate/train/reference/reference.hpp"
#include "support/deferred_device.hpp"
#include "support/fake_streams.hpp"
#include "support/live_gpt.hpp"

namespace pipewright::test {
namespace {

using train::PassReads;
using train::Reads;
using train::Trained;

void expect_as_on_one_device(const LiveGpt& gpt, const PassReads& reads) {
  SCOPED_TRACE(gpt.schedule + " " + gpt.more);
  test::expect_as_on_one_device(live_gpt(gpt), reads);
}

TEST(RealWork, synchronous_schedules_train_as_one_device_does) {
  for (const char* schedule : {"gpipe",
                               "{name: gpipe, backward_order: reversed}",
                               "1f1b",
                               "eager-1f1b",
                               "{name: interleaved-1f1b, virtual: 2}",
                               "{name: looped-bfs, virtual: 2}",
                               "zb-h1",
                               "zb-h2",
                               "zb-v",
                               "v-half",
                               "v-min",
                               "zb-auto",
                               "dualpipe",
                               "dualpipe-v",
                               "chimera",
                               "hanayo",
                               "bpipe",
                               "1f1b-as",
                               "1f1b-sno",
                               "{name: terapipe, slices: [10, 8, 6]}",
                               "{name: seq-1f1b, slices: 3}"}) {
    expect_as_on_one_device({.schedule = schedule, .steps = 20}, in_step(8));
  }
}

TEST(RealWork, replicas_recomputation_and_optimizers_change_nothing) {
  for (const char* schedule : {"1f1b", "zb-v", "dualpipe", "{name: seq-1f1b, slices: 3}"}) {
    expect_as_on_one_device(
        {.pipeline = 2, .data = 2, .micro_batches = 4, .schedule = schedule, .steps = 8},
        in_step(4));
    expect_as_on_one_device({.pipeline = 2,
                             .micro_batches = 4,
                             .schedule = schedule,
                             .more = "recompute: full",
                             .steps = 8},
                            in_step(4));
    for (const char* optimizer : {"sgd", "adam", "adamw"}) {
      expect_as_on_one_device({.pipeline = 2,
                               .micro_batches = 4,
                               .schedule = schedule,
                               .optimizer = optimizer,
                               .steps = 8,
                               .tied = false,
                               .bias = false},
                              in_step(4));
    }
  }
}

TEST(RealWork, one_rank_that_holds_the_whole_model_shares_its_tied_table_with_itself) {
  expect_as_on_one_device({.pipeline = 1, .micro_batches = 2, .schedule = "gpipe", .steps = 8},
                          in_step(2));
  expect_as_on_one_device({.pipeline = 2, .micro_batches = 4, .schedule = "dualpipe-v", .steps = 8},
                          in_step(4));
}

// W(t+1) = W(t) - lr grad(W(t-1)), batches 0 and 1 both at W(0).
TEST(RealWork, pipedream_2bw_follows_its_delay_of_one_step) {
  const auto reads = [](int, int micro_batch) {
    return Reads{std::max(0, micro_batch / 8 - 1), 0};
  };
  expect_as_on_one_device({.schedule = "pipedream-2bw", .steps = 10, .tied = false},
                          {reads, reads});
}

// Stage s of p works with weights p - 1 - s steps old, forward and backward.
TEST(RealWork, pipedream_reads_its_stashed_weights) {
  const auto reads = [](int stage, int micro_batch) {
    return Reads{std::max(0, micro_batch - (3 - stage)), 0};
  };
  expect_as_on_one_device({.schedule = "pipedream", .steps = 4, .tied = false}, {reads, reads});
}

// Without a stash the backward pass reads the newest weights.
TEST(RealWork, pipelined_backpropagation_reads_the_newest_weights_in_each_pass) {
  expect_as_on_one_device({.schedule = "pipelined-backprop", .steps = 4, .tied = false},
                          {[](int stage, int b) {
                             return Reads{std::max(0, b - (3 - stage)), 0};
                           },
                           [](int, int b) {
                             return Reads{b, 0};
                           }});
}

// Forward at W - lr s dW with s the p - 1 - k steps that lie between the passes, backward at W.
TEST(RealWork, pipeoptim_forwards_at_predicted_weights) {
  for (const char* optimizer : {"momentum", "adam", "adamw"}) {
    expect_as_on_one_device(
        {.schedule = "pipeoptim", .optimizer = optimizer, .steps = 4, .tied = false},
        {[](int stage, int b) {
           return Reads{std::max(0, b - (3 - stage)), 3 - stage};
         },
         [](int, int b) {
           return Reads{b, 0};
         }});
  }
}

TEST(RealWork, training_approaches_the_entropy_of_the_task) {
  const auto kernels = kernels::cpu_kernels();
  const live::RealJob job =
      live_gpt({.pipeline = 2, .blocks = 2, .schedule = "1f1b", .optimizer = "adam", .steps = 300});
  const Trained trained = run_job(job, *kernels);
  EXPECT_GT(trained.losses.front(), std::log(16) - 0.1);  // knows nothing of 16 tokens
  EXPECT_LT(trained.losses.back(), 1.3 * job.training.task.entropy());
  EXPECT_GT(trained.losses.back(), 0.7 * job.training.task.entropy());
}

// One thread hands out the ops of all ranks in the order in which a GPU's streams get them.
TEST(RealWork, handed_out_to_streams_it_trains_the_same) {
  const auto kernels = kernels::cpu_kernels();
  for (const char* schedule : {"1f1b", "zb-v", "chimera"}) {
    SCOPED_TRACE(schedule);
    const live::RealJob job = live_gpt({.schedule = schedule, .steps = 3});
    live::RealWork work(job.program, job.prepared.schedule, job.model, job.training, *kernels);
    FakeStreams streams;
    live::run_streams(job.program, work, streams, {}, {.partitions = 2});
    const Trained alone = train::train_reference(job.model, job.training, in_step(8), *kernels);
    EXPECT_LT(train::relative_difference(work.result(), alone), 1e-5);
  }
}

// And one that does it as late as marks let it, streams in any order.
TEST(RealWork, on_a_device_that_runs_behind_it_trains_the_same) {
  const auto kernels = kernels::cpu_kernels();
  for (const char* schedule : {"1f1b", "zb-v", "chimera", "bpipe"}) {
    SCOPED_TRACE(schedule);
    const live::RealJob job =
        live_gpt({.data = 2, .schedule = schedule, .steps = 2, .tied = false});
    DeferredDevice device(1);
    live::RealWork work(job.program, job.prepared.schedule, job.model, job.training, device);
    live::run_streams(job.program, work, device, {}, {.partitions = 2});
    const Trained alone = train::train_reference(job.model, job.training, in_step(8), *kernels);
    EXPECT_LT(train::relative_difference(work.result(), alone), 1e-5);
  }
}

}  // namespace
}  // namespace pipewright::test
