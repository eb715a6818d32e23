#include "simulate/run.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

// (m + p - 1)(tF + tB) = 11 * 3 ms.
TEST(Run, one_f_one_b_takes_its_closed_form) {
  const auto result = run(four_ranks("1f1b"));
  EXPECT_EQ(result.result.metrics.iteration, milliseconds(33));
  EXPECT_DOUBLE_EQ(result.result.rates.samples_per_s.value(), 8 / 0.033);
}

// m(tF + tI + tW) + (p - 1)(tF + tI - tW) = 24 + 3 ms.
TEST(Run, half_of_backward_is_the_weight_gradient_unless_said) {
  EXPECT_EQ(run(four_ranks("zb-h1")).result.metrics.iteration, milliseconds(27));
}

// In per-chunk times the bubble is (p - 1)(tF + tB), half of 1F1B's at two chunks.
TEST(Run, a_time_is_shared_by_the_chunks_of_a_device) {
  const auto result = run(four_ranks("{name: interleaved-1f1b, virtual: 2}"));
  EXPECT_EQ(result.result.metrics.iteration.ps, (milliseconds(24) + divide(milliseconds(9), 2)).ps);
}

// The steady state of an asynchronous pipeline has no bubble: m (tF + tB).
TEST(Run, asynchronous_schedules_report_their_period_and_versions) {
  const auto result = run(four_ranks("pipedream-2bw"));
  EXPECT_EQ(result.result.metrics.iteration, milliseconds(24));
  for (const RankResult& rank : result.result.metrics.ranks) {
    EXPECT_EQ(rank.weight_versions, 2);
    EXPECT_EQ(rank.staleness, 1);
    EXPECT_EQ(rank.memory.weights, 3 * MiB);
    EXPECT_EQ(rank.memory.weight_versions, 3 * MiB);
  }
}

// One iteration alone takes (m + p - 1)(tF + tB) and has 1F1B's bubble; training has none.
TEST(Run, a_single_asynchronous_iteration_is_told_from_the_steady_state) {
  const Metrics metrics = run(four_ranks("pipedream-2bw")).result.metrics;
  EXPECT_EQ(metrics.makespan, milliseconds(33));
  ASSERT_TRUE(metrics.steady);
  EXPECT_EQ(metrics.steady->period, milliseconds(24));
  EXPECT_NEAR(metrics.bubble_fraction(), 0, 1e-12);
  EXPECT_FALSE(run(four_ranks("1f1b")).result.metrics.steady);
}

// tF + tB + 2c(p-1)/p a micro-batch, whether or not the ranks divide the micro-batches.
// A step of one micro-batch that waited for the other end of the pipeline would take a trip through
// all four stages: four times the busiest stage's time, or more.
TEST(Run, tied_ends_that_step_after_every_micro_batch_do_not_stop_the_pipeline) {
  const auto result = run(experiment(
      "model: {transformer: {layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 1}\n"
      "parallel: {pipeline: 4, data: 2}\n"
      "batch: {global: 64, micro: 1, sequence: 1024}\n"
      "schedule: pipedream\n"
      "partition: balanced\n"));
  const Metrics& metrics = result.result.metrics;
  const double busiest = in_seconds(metrics.bounds.busiest_lane);
  EXPECT_GE(in_seconds(metrics.iteration), 0.99 * busiest);
  EXPECT_LE(in_seconds(metrics.iteration), 1.5 * busiest);
  EXPECT_EQ(result.result.notes.size(), 1u);
}

TEST(Run, the_steady_period_counts_the_latency_of_whole_rounds) {
  for (const int m : {1, 3, 4, 6, 9}) {
    config::Value document = four_ranks("pipedream");
    config::set_path(document, "model.synthetic.microbatches=" + std::to_string(m));
    config::set_path(document, "cluster.link.latency=2 ms");
    const Metrics metrics = run(document).result.metrics;
    EXPECT_EQ(metrics.iteration, m * milliseconds(6)) << m;
    EXPECT_NEAR(in_seconds(metrics.breakdown.computing()) / in_seconds(metrics.iteration), 0.5,
                1e-12);
    // p - i in flight and as many versions, also where one iteration has fewer micro-batches.
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(metrics.ranks[i].weight_versions, 4 - i) << m;
      EXPECT_EQ(metrics.ranks[i].peak_in_flight, 4 - i) << m;
    }
  }
}

// Both halves of a device take t = 1 + 2 ms for a pass: (m + 2p - 1) t. Rank 0 of p holds
// min(m, 2p) activations, and a device whose halves both work all the time would have no bubble.
TEST(Run, fbp_as_runs_forward_and_backward_beside_each_other) {
  for (const int m : {2, 8, 20}) {
    config::Value document = four_ranks("fbp-as");
    config::set_path(document, "model.synthetic.microbatches=" + std::to_string(m));
    const Metrics metrics = run(document).result.metrics;
    EXPECT_EQ(metrics.makespan, (m + 7) * milliseconds(3));
    EXPECT_NEAR(metrics.bubble_fraction(), 1 - m / (m + 7.0), 1e-12);
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(metrics.ranks[i].peak_in_flight, std::min(m, 2 * (4 - i)));
      EXPECT_EQ(metrics.ranks[i].memory.activations, std::min(m, 2 * (4 - i)) * MiB);
      EXPECT_EQ(metrics.ranks[i].compute, m * milliseconds(3));
      EXPECT_EQ(metrics.ranks[i].span, (m + 7 - 2 * i) * milliseconds(3));
    }
  }
}

// What is sent while it is computed is late only by what it takes longer than the pass: 3 ms here.
TEST(Run, fbp_as_hides_transfers_that_are_no_longer_than_its_passes) {
  config::Value document = four_ranks("fbp-as");
  config::set_path(document, "cluster.link.latency=3 ms");
  EXPECT_EQ(run(document).result.metrics.makespan, 15 * milliseconds(3));
}

TEST(Run, the_resolved_experiment_gives_the_same_numbers) {
  for (const char* rest : {"schedule: 1f1b\nparallel: {tensor: 2, pipeline: 4}\n",
                           "schedule: zb-h1\nparallel: {pipeline: 2, zero: 1}\n",
                           "schedule: 1f1b\nparallel: {data: 8, zero: 3}\n",
                           "schedule: 1f1b\nparallel: {data: 8, zero: 3}\nframework: torch\n",
                           "schedule: 1f1b\nparallel: {data: 8, zero: 3}\nattention: unfused\n"}) {
    const auto first = run(small_gpt(rest));
    const auto again = run(first.result.experiment);
    EXPECT_EQ(first.result.metrics.makespan, again.result.metrics.makespan);
  }
}

// Every replica and tensor rank by itself, or one for those that are alike: the same times.
TEST(Run, folded_equals_unfolded) {
  for (const char* schedule :
       {"1f1b", "gpipe", "zb-h1", "chimera", "interleaved-1f1b", "fbp-as", "bpipe"}) {
    for (const char* p2p : {"async", "sender", "rendezvous"}) {
      const config::Value document =
          small_gpt(std::string("parallel: {tensor: 2, pipeline: 4, data: 2}\nschedule: ") +
                    schedule + "\noverlap: {p2p: " + p2p + "}\n");
      const auto folded = run(document), unfolded = run(document, false);
      EXPECT_LT(folded.program.ops.size(), unfolded.program.ops.size());
      EXPECT_EQ(folded.result.metrics.makespan, unfolded.result.metrics.makespan)
          << schedule << " " << p2p;
      EXPECT_EQ(folded.result.metrics.breakdown, unfolded.result.metrics.breakdown);
      for (size_t kind = 0; kind < traffic_kinds; ++kind) {
        EXPECT_DOUBLE_EQ(folded.result.metrics.communication[kind].bytes,
                         unfolded.result.metrics.communication[kind].bytes);
        EXPECT_EQ(folded.result.metrics.communication[kind].time,
                  unfolded.result.metrics.communication[kind].time);
      }
      for (size_t rank = 0; rank < 4; ++rank) {
        EXPECT_EQ(folded.result.metrics.ranks[rank].memory.total(),
                  unfolded.result.metrics.ranks[rank].memory.total());
      }
    }
  }
}

TEST(Run, a_straggler_unfolds_its_replica_and_slows_all) {
  const std::string rest = "parallel: {tensor: 1, pipeline: 4, data: 4}\nschedule: 1f1b\n";
  const auto even = run(small_gpt(rest));
  const auto slow = run(small_gpt(rest + "stragglers: [{device: 3, slowdown: 2}]\n"));
  EXPECT_GT(slow.result.metrics.makespan, even.result.metrics.makespan);
  EXPECT_EQ(run(small_gpt(rest + "stragglers: [{device: 3, slowdown: 2}]\n"), false)
                .result.metrics.makespan,
            slow.result.metrics.makespan);
}

// Without a profile both follow the links' data sheets: 2 (n - 1) (latency + S / n bandwidth).
TEST(Run, on_idle_rings_collectives_take_as_long_message_by_message) {
  const config::Value document = experiment(
      "model: {transformer: {layers: 4, hidden: 512, heads: 8, ffn: 2048, vocabulary: 8192}}\n"
      "cluster: {devices: 8, device: a100-sxm-80g, link: {latency: 5 us, bandwidth: 25 GB/s}}\n"
      "parallel: {tensor: 2, pipeline: 2, data: 2}\n"
      "batch: {global: 8, micro: 1, sequence: 256}\nschedule: 1f1b\n");
  const config::Catalogue catalogue;
  const auto fluid = run_experiment(document, catalogue, {});
  const auto expanded = run_experiment(document, catalogue, {.expand_collectives = true});
  EXPECT_EQ(expanded.result.metrics.makespan, fluid.result.metrics.makespan);
  ASSERT_FALSE(expanded.result.provenance.empty());
  EXPECT_NE(expanded.result.provenance.back().second.find("message by message"), std::string::npos);
}

/// What kernels' times on a device are said to rest on.
std::string kernels_of(const std::string& device) {
  const auto done = run_experiment(
      experiment("model: {transformer: {layers: 4, hidden: 512, heads: 8, ffn: 2048, vocabulary: "
                 "8192}}\n"
                 "cluster: {devices: 2, link: {latency: 5 us, bandwidth: 25 GB/s}, device: " +
                 device +
                 "}\n"
                 "parallel: {pipeline: 2}\n"
                 "batch: {global: 8, micro: 1, sequence: 256}\nschedule: 1f1b\n"),
      config::Catalogue{}, {});
  return done.result.provenance.at(0).second;
}

TEST(Run, a_profile_of_the_family_is_not_said_to_be_measured) {
  EXPECT_EQ(kernels_of("b300-sxm"), "b300-sxm (not measured: of its family)");
  EXPECT_TRUE(kernels_of("a100-sxm-40g").starts_with("a100-sxm-40g (not measured: of its family, "))
      << kernels_of("a100-sxm-40g");
  EXPECT_EQ(kernels_of("a100-sxm-40g").find("held out"), std::string::npos);
  const std::string own = kernels_of("a100-sxm-80g");
  EXPECT_TRUE(own.starts_with("a100-sxm-80g (measured, ")) << own;
  EXPECT_NE(own.find("; products held out of its fit: median error "), std::string::npos) << own;
}

TEST(Run, says_where_a_schedule_wants_what_gpus_cannot_do) {
  const auto streaming = run(small_gpt("schedule: 1f1b-as"));
  EXPECT_FALSE(streaming.result.fit.suits_devices);
  ASSERT_FALSE(streaming.result.notes.empty());
  EXPECT_NE(streaming.result.notes[0].find("1f1b-as is made for devices"), std::string::npos);
  EXPECT_TRUE(run(small_gpt("schedule: 1f1b")).result.fit.suits_devices);
  EXPECT_TRUE(run(four_ranks("1f1b-as")).result.fit.suits_devices) << "devices of no kind";
}

TEST(Run, a_comparison_keeps_what_does_not_fit_as_a_row) {
  const std::vector<Row> rows = compare_schedules(
      four_ranks("1f1b"),
      {config::scalar("1f1b"), config::scalar("dualpipe"), config::parse("{name: gpipe}", "x")},
      config::Catalogue{}, {});
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_TRUE(rows[0].run && rows[1].run && rows[2].run);
  const config::Value three = [] {
    config::Value v = four_ranks("1f1b");
    config::set_path(v, "model.synthetic.devices=3");
    return v;
  }();
  const std::vector<Row> odd = compare_schedules(
      three, {config::scalar("1f1b"), config::scalar("chimera")}, config::Catalogue{}, {});
  EXPECT_TRUE(odd[0].run);
  EXPECT_FALSE(odd[1].run);
  EXPECT_NE(odd[1].reason.find("even number of ranks"), std::string::npos);
}

TEST(Run, a_comparison_is_the_same_whatever_runs_at_once) {
  std::vector<config::Value> schedules;
  for (const char* name : {"1f1b", "gpipe", "dualpipe", "zb-h1"})
    schedules.push_back(config::scalar(name));
  for (const int jobs : {1, 2, 0}) {
    size_t told = 0;
    const std::vector<Row> rows =
        compare_schedules(four_ranks("1f1b"), schedules, config::Catalogue{}, {.jobs = jobs},
                          [&](size_t ended) { EXPECT_EQ(ended, ++told); });
    EXPECT_EQ(told, schedules.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(rows[i].schedule, schedules[i].text);
      const auto alone = run(four_ranks(schedules[i].text));
      ASSERT_TRUE(rows[i].run);
      EXPECT_EQ(rows[i].run->result.metrics.iteration, alone.result.metrics.iteration);
    }
  }
}

TEST(Run, degrees_that_cannot_be_are_named) {
  EXPECT_NE(error_of([] {
              run(small_gpt("parallel: {tensor: 3}\nschedule: 1f1b\n"));
            }).find("no multiple of tensor x context x pipeline = 3"),
            std::string::npos);
  EXPECT_NE(error_of([] {
              run(small_gpt("parallel: {data: 17}\nschedule: 1f1b\n"));
            }).find("has 16 devices, but 17 are needed"),
            std::string::npos);
  EXPECT_NE(
      error_of([] { run(small_gpt("parallel: {pipeline: 16}\nschedule: 1f1b\n")); }).find("8"),
      std::string::npos);
}

/// The first start of a step, and the last end of a backward pass.
std::pair<Time, Time> step_and_backward(const std::string& overlap) {
  const Run run =
      test::run(test::small_gpt("parallel: {pipeline: 4, data: 1}\nschedule: 1f1b\n" + overlap, 1));
  Time step = longest_time, backward;
  for (OpId op = 0; op < run.program.ops.size(); ++op) {
    const OpType& type = run.program.type(op);
    if (type.kind == OpKind::step) step = std::min(step, run.timeline.spans[op].start);
    if (type.kind == OpKind::compute && type.pass == schedule::Pass::backward)
      backward = std::max(backward, run.timeline.spans[op].end);
  }
  return {step, backward};
}

// The last stage is done first. Without post-validation it waits for the gradients of the first.
TEST(RunExperiment, ranks_step_at_once_or_after_the_norm_of_all_gradients) {
  const auto [at_once, backward] = step_and_backward("");
  EXPECT_LT(at_once, backward);
  const auto [validated, last] = step_and_backward("overlap: {optimizer: false}\n");
  EXPECT_GT(validated, last);
}

// One H100 node, long sequences: attention is most of the time.
config::Value long_sequences(const std::string& rest) {
  return experiment(
      "model: {transformer: {layers: 2, hidden: 2048, heads: 16, vocabulary: 51200}}\n"
      "cluster: {node: dgx-h100, nodes: 1}\n"
      "batch: {global: 8, micro: 1, sequence: 32768}\n"
      "schedule: 1f1b\n" +
      rest);
}

TEST(Run, attention_is_the_framework_s_unless_named) {
  const auto time = [](const std::string& rest) {
    return run(long_sequences(rest)).result.metrics.iteration;
  };
  const Time newest = time("attention: flash"), older = time("attention: flash2");
  EXPECT_GT(older, newest);
  EXPECT_EQ(time("attention: flash3"), newest);
  const std::string sharded = "parallel: {zero: 3}\n";
  EXPECT_EQ(time(sharded), time(sharded + "attention: flash2"));
  EXPECT_GT(time(sharded), time(sharded + "attention: flash3"));
  EXPECT_GT(time("attention: flash1"), older);
  EXPECT_EQ(time("attention: cudnn"), newest);
}

// cuDNN's attention under PyTorch leaves its other operators as they are.
TEST(Run, attention_of_cudnn_does_not_compile_operators) {
  const auto time = [](const std::string& rest) {
    return run(long_sequences("framework: torch\n" + rest)).result.metrics.iteration;
  };
  EXPECT_EQ(time("attention: cudnn"), time("attention: flash3\nkernels: eager\n"));
  EXPECT_GT(time("attention: cudnn"), time("attention: flash3"));
  EXPECT_LT(time("attention: cudnn"), time("attention: flash2"));
}

// PyTorch's operators one by one where its own attention runs, unless they are compiled.
TEST(Run, kernels_are_the_framework_s_unless_named) {
  const auto time = [](const std::string& rest) {
    return run(long_sequences(rest)).result.metrics.iteration;
  };
  EXPECT_EQ(time(""), time("kernels: fused"));
  EXPECT_GT(time("kernels: eager"), time("kernels: fused"));
  const std::string sharded = "parallel: {zero: 3}\n";
  EXPECT_EQ(time(sharded), time(sharded + "kernels: eager"));
  EXPECT_GT(time(sharded), time(sharded + "kernels: fused"));
}

// Weights are gathered beside compute, or waited for and copied into place.
TEST(Run, early_deepspeed_waits_for_weights) {
  const auto time = [](const std::string& rest) {
    return run(long_sequences("attention: unfused\nparallel: {zero: 3}\n" + rest))
        .result.metrics.iteration;
  };
  EXPECT_EQ(time(""), time("framework: deepspeed-0.4"));
  EXPECT_GT(time("framework: deepspeed-0.4"), time("framework: deepspeed"));
}

// 32,768 tokens, 2,048 wide, and 51,200 words: 4 B kept and 6 B made a number, beside 2 B of the
// table's gradient; or 2 B kept, and then the most is made in a block: the gradients of its output
// and of both sides of the activation, 2 + 8 + 8 B, less a dropout mask.
TEST(Run, a_fused_loss_saves_the_fp32_copies_of_logits) {
  const auto held = [](const std::string& rest) {
    return run(long_sequences(rest)).result.metrics.ranks[0].memory.activations.count;
  };
  const int64_t logits = int64_t{32768} * 51200, table = int64_t{2048} * 51200;
  const int64_t in_block = int64_t{17} * 32768 * 2048;
  EXPECT_EQ(held("loss: fp32") - held("loss: fused"), 8 * logits + 2 * table - in_block);
  EXPECT_EQ(held("parallel: {zero: 3}"), held("parallel: {zero: 3}\nloss: fused"));
}

// The embedding that first and last stage share is summed before the step, in the lane that gathers
// the sharded weights of the next iteration after it.
TEST(Run, tied_embeddings_of_sharded_weights_do_not_wait_for_the_next_iteration) {
  const auto time_of = [](int iterations) {
    config::Value document = small_gpt(
        "parallel: {tensor: 2, pipeline: 4, zero: 3}\nschedule: gpipe\noverlap: {data: false}\n");
    document.set("iterations", config::number(iterations));
    return run(document).result.metrics.makespan;
  };
  const Time once = time_of(1), twice = time_of(2), thrice = time_of(3);
  EXPECT_GT(twice, once);
  EXPECT_NEAR(in_seconds(thrice - twice), in_seconds(twice - once), 1e-3 * in_seconds(once));
}

}  // namespace
}  // namespace pipewright::test
