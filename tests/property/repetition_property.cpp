// Micro-batches that repeat others, simulated once, give the result of all of them to the byte.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <span>

#include "report/json/result.hpp"
#include "report/text/timeline.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/experiments.hpp"
#include "support/one_of.hpp"
#include "support/rounds.hpp"

namespace pipewright::test {
namespace {

Run simulated(const config::Value& experiment, bool fold_micro_batches) {
  return run_experiment(experiment, config::Catalogue{},
                        {.fold_micro_batches = fold_micro_batches, .if_free = true});
}

/// All that is reported, but for what the simulation itself took and what it left out.
std::string told(Run run) {
  run.result.cost = {};
  std::erase_if(run.result.notes, [](const std::string& note) {
    return note.starts_with("micro-batches repeat themselves");
  });
  return json_text(run.result) + ascii_timeline(run.program, run.timeline, 100, 8);
}

/// Holds the run of a period to the run of everything. Returns whether there was one.
bool expect_same_result(const std::string& yaml) {
  SCOPED_TRACE(yaml);
  const config::Value document = experiment(yaml);
  Run all;
  try {
    all = simulated(document, false);
  } catch (const Misfit&) {
    return false;
  } catch (const Failure&) {
    EXPECT_THROW(simulated(document, true), Failure);
    return false;
  }
  Run once = simulated(document, true);
  const bool folded = once.result.cost.events < all.result.cost.events;
  EXPECT_EQ(folded, !once.timeline.paces.empty());
  EXPECT_EQ(told(std::move(once)), told(std::move(all)));
  return folded;
}

/// The times of `stages` stages, alike or not.
std::string some_times(std::mt19937_64& random, int stages, int least_us) {
  if (random() % 2 == 0) return fmt::format("{} us", least_us);
  std::vector<std::string> times;
  for (int stage = 0; stage < stages; ++stage)
    times.push_back(fmt::format("{} us", least_us + random() % 100 * 10));
  return fmt::format("[{}]", fmt::join(times, ", "));
}

/// A schedule on two to six ranks with messages that are free, short or nearly as long as a pass.
std::string some_synthetic(std::mt19937_64& random, const schedule::Kind& kind) {
  const int ranks = one_of(random, {2, 4, 6});
  const int micro_batches = one_of(random, {1024, 1149, 1200});
  const schedule::Schedule schedule =
      schedule::build({.ranks = ranks, .micro_batches = 12 * ranks}, config::scalar(kind.name));
  return fmt::format(
      "model: {{synthetic: {{devices: {}, microbatches: {}, forward: {}, backward: {},\n"
      "                     activation: 1 MiB, boundary: {}}}}}\n"
      "cluster: {{devices: {}, link: {{latency: {}, bandwidth: 3 GB/s}}}}\n"
      "schedule: {}\n"
      "network: {}\n"
      "overlap: {{p2p: {}}}\n",
      ranks, micro_batches, some_times(random, schedule.stages, 1000),
      some_times(random, schedule.stages, 1700),
      one_of<const char*>(random, {"0 B", "1 MiB", "3 MB"}), ranks,
      one_of<const char*>(random, {"0 s", "7 us"}), kind.name,
      one_of<const char*>(random, {"flow", "alpha-beta"}),
      one_of<const char*>(random, {"async", "async", "sender", "rendezvous"}));
}

TEST(Repetition, of_every_schedule_gives_the_result_of_all_micro_batches) {
  size_t schedules = 0;
  for (const schedule::Kind* kind : schedule::kinds()) {
    int folded = 0;
    for (uint64_t round = 0; round < rounds(6); ++round) {
      std::mt19937_64 random(round);
      folded += expect_same_result(some_synthetic(random, *kind));
    }
    schedules += folded > 0;
  }
  EXPECT_GE(schedules, 15u);
}

// What is cut, gathered, copied, run again or started late repeats itself as well.
TEST(Repetition, of_what_a_model_does_gives_the_result_of_all_micro_batches) {
  const char* small =
      "model: {transformer: {layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}\n"
      "cluster: {node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: eth-25, nics: 2}}\n"
      "precision: fp16\n";
  constexpr const char* ways[] = {
      "parallel: {tensor: 2, pipeline: 4, data: 2}\nschedule: 1f1b\n",
      "parallel: {tensor: 1, pipeline: 4, data: 4, zero: 3}\nschedule: 1f1b\n",
      "parallel: {tensor: 2, pipeline: 2, data: 4, zero: 2}\nschedule: zb-h1\n",
      "parallel: {tensor: 4, pipeline: 4, data: 1}\nschedule: {name: interleaved-1f1b, virtual: "
      "2}\n"
      "recompute: full\n",
      "parallel: {tensor: 2, pipeline: 4, data: 2}\nschedule: 1f1b\noffload: activations\n",
      "parallel: {tensor: 2, pipeline: 4, data: 2}\nschedule: 1f1b\nlaunches: blocking\n"
      "overlap: {p2p: rendezvous}\n",
      "parallel: {tensor: 2, pipeline: 4, data: 2}\nschedule: gpipe\nnetwork: alpha-beta\n"
      "partition: balanced\n",
      "parallel: {tensor: 1, pipeline: 4, data: 4}\nschedule: 1f1b\npartition: [1, 3, 2, 2]\n"
      "placement: pp-cp-ep-dp-tp\n",
      "parallel: {pipeline: 2}\nschedule: 1f1b\nresharding: broadcast\nstrategy:\n"
      "  - {layers: 0-3, devices: 0-7, mesh: [2, 4], tensor: 4, data: 2}\n"
      "  - {layers: 4-7, devices: 8-15, mesh: [4, 2], tensor: 2, data: 4}\n",
  };
  const auto tried = std::span(ways).first(std::min(std::size(ways), rounds(std::size(ways))));
  size_t folded = 0;
  for (const char* way : tried)
    folded += expect_same_result(
        fmt::format("{}{}batch: {{global: 4400, micro: 1, sequence: 128}}\n", small, way));
  EXPECT_GE(folded + 2, tried.size());
}

// Replicas of unlike pace repeat themselves by periods of their own until they sum gradients: those
// with a slow GPU, and those whose messages go further. Where they share links they may not.
TEST(Repetition, of_replicas_of_unlike_pace_gives_the_result_of_all_micro_batches) {
  const char* small =
      "model: {transformer: {layers: 8, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}\n"
      "precision: fp16\nbatch: {global: 3300, micro: 1, sequence: 128}\n";
  const char* near =
      "cluster: {node: dgx-a100-80g, nodes: 2, fabric: {kind: fat-tree, link: eth-25, nics: 2}}\n";
  const char* far =
      "cluster: {node: dgx-a100-80g, nodes: 12, fabric: {kind: fat-tree, link: hdr, nics: 8,\n"
      "          switch_ports: 8}}\n";
  constexpr const char* ways[] = {
      "schedule: 1f1b\n",
      "schedule: 1f1b\noverlap: {data: false, p2p: rendezvous}\n",
      "schedule: zb-h1\noverlap: {data: false}\n",
      "schedule: gpipe\noverlap: {data: false}\n",
      "schedule: {name: interleaved-1f1b, virtual: 2}\noverlap: {data: false}\nrecompute: full\n",
  };
  const auto tried = std::span(ways).first(std::min(std::size(ways), rounds(std::size(ways))));
  size_t folded = 0;
  for (const char* way : tried) {
    for (const char* slow : {"{device: 3, slowdown: 1.01}", "{device: 9, slowdown: 1.5}"})
      folded += expect_same_result(
          fmt::format("{}{}parallel: {{tensor: 2, pipeline: 4, data: 2}}\nstragglers: [{}]\n{}",
                      small, near, slow, way));
    folded += expect_same_result(
        fmt::format("{}{}parallel: {{tensor: 8, pipeline: 4, data: 3}}\n{}", small, far, way));
  }
  EXPECT_GE(folded, tried.size());
}

// What is not the same for all micro-batches is simulated as it is.
TEST(Repetition, is_none_where_micro_batches_differ) {
  const std::string synthetic =
      "model: {synthetic: {devices: 2, microbatches: 1024, forward: 1 ms, backward: 2 ms}}\n"
      "cluster: {devices: 2, link: {latency: 0 s}}\n";
  EXPECT_TRUE(expect_same_result(synthetic + "schedule: 1f1b\n"));
  EXPECT_TRUE(expect_same_result(synthetic + "schedule: 1f1b\n"
                                             "variation: {compute_spread: 3%, seeds: 2}\n"));
  EXPECT_FALSE(expect_same_result(synthetic + "schedule: 1f1b\niterations: 2\n"));
  EXPECT_FALSE(expect_same_result(synthetic + "schedule: pipedream\n"));
}

}  // namespace
}  // namespace pipewright::test
