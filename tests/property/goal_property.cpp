// What is written as GOAL and run again takes as long as what it was written from.
#include <gtest/gtest.h>

#include <sstream>

#include "convert/export_trace.hpp"
#include "interop/goal.hpp"
#include "machine/machine.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"
#include "support/exported_pipeline.hpp"
#include "support/last_end.hpp"
#include "trace/trace.hpp"

namespace pipewright::test {
namespace {

std::string goal_text(const config::Value& document) {
  const config::Catalogue catalogue;
  std::ostringstream out;
  export_goal(read_experiment(resolve(document, catalogue)), catalogue, {}, out);
  return out.str();
}

/// The makespan of what is written, on the same cluster.
Time from_goal(const config::Value& document) {
  const config::Catalogue catalogue;
  const Experiment e = read_experiment(resolve(document, catalogue));
  const Machine machine = read_machine(e, catalogue);
  return last_end(
      run_trace(goal::parse(goal_text(document), "f.goal"), machine.prices(e)).timeline);
}

TEST(GoalExport, every_schedule_with_async_sends_takes_the_same_time_again) {
  int compared = 0;
  for (const schedule::Kind* kind : schedule::kinds()) {
    for (const int microbatches : {1, 4, 10}) {
      const config::Value document = pipeline(std::string(kind->name), 4, microbatches);
      std::optional<Timeline> predicted;
      const std::string misfit = error_of([&] { predicted = run(document, false).timeline; });
      if (!predicted) continue;
      Time measured;
      const std::string refused = error_of([&] { measured = from_goal(document); });
      if (refused != "no error") {
        EXPECT_NE(refused.find("GOAL"), std::string::npos) << kind->name << ": " << refused;
        continue;
      }
      EXPECT_EQ(measured, last_end(*predicted))
          << kind->name << ", " << microbatches << " micro-batches";
      ++compared;
    }
  }
  EXPECT_GE(compared, 60);  // of some 27 schedules, a few of which decline a shape
}

// A second copy of the pipeline, beside the first, changes nothing but the number of ranks.
TEST(GoalExport, replicas_are_all_written) {
  config::Value document = pipeline("1f1b", 4, 8);
  config::set_path(document, "parallel.data=3");
  config::set_path(document, "cluster.devices=12");
  EXPECT_TRUE(goal_text(document).starts_with("num_ranks 12\n"));
  EXPECT_EQ(from_goal(document), last_end(run(document, false).timeline));
}

// A ring takes 2 (n - 1) (alpha + S / (n beta)), message by message as in one piece; all members
// begin together here, so that no one waits for anyone. Times are rounded to ns.
TEST(GoalExport, a_collective_around_a_ring_takes_its_closed_form) {
  config::Value document = experiment(
      "model: {transformer: {layers: 2, hidden: 64, heads: 4, ffn: 256, vocabulary: 1024}}\n"
      "cluster: {devices: 4, device: {flops: {bf16: 1 TFLOP/s}, memory: 80 GiB,"
      " memory_bandwidth: 1 TB/s}, link: {latency: 5 us, bandwidth: 1 GB/s}}\n"
      "batch: {global: 4, micro: 1, sequence: 128}\n"
      "parallel: {data: 4}\nschedule: gpipe\nnetwork: alpha-beta\n");
  const double predicted = in_seconds(last_end(run(document, false).timeline));
  EXPECT_NEAR(in_seconds(from_goal(document)), predicted, 1e-3 * predicted);
}

/// The bytes of all sends of a file.
int64_t sent(const std::string& goal) {
  std::istringstream lines(goal);
  int64_t bytes = 0;
  for (std::string line; std::getline(lines, line);)
    if (const size_t at = line.find(": send "); at != std::string::npos)
      bytes += std::stoll(line.substr(at + 7));
  return bytes;
}

/// Four virtual stages on two meshes.
config::Value unlike_meshes(const std::string& resharding, const std::string& first,
                            const std::string& second) {
  return experiment(
      "model: {transformer: {layers: 4, hidden: 64, heads: 4, ffn: 256, vocabulary: 1024,\n"
      "  tied_embeddings: false}}\n"
      "cluster: {node: p3.8xlarge, nodes: 2, fabric: {kind: star, link: eth-10}}\n"
      "batch: {global: 16, micro: 1, sequence: 128}\nprecision: fp16\nnetwork: alpha-beta\n"
      "launches: graph\nschedule: {name: interleaved-1f1b, virtual: 2}\nresharding: " +
      resharding + "\nstrategy: [{layers: [0-0, 2-2], " + first + "}, {layers: [1-1, 3-3], " +
      second + "}]\n");
}

// Two more micro-batches of 4 sequences x 128 tokens x 64 x 2 B = 64 KiB, over three edges there
// and back: to one device and from one to four, a quarter each, so that every byte is sent once.
// Then four devices sum fp16 gradients of their stages by a ring of six steps.
TEST(GoalExport, what_is_resharded_is_sent_once_a_micro_batch_each_way) {
  for (const char* resharding : {"send-recv", "local-all-gather", "broadcast"}) {
    config::Value document = unlike_meshes(resharding, "devices: 0-3, data: 4", "devices: 4");
    const int64_t all = sent(goal_text(document));
    config::set_path(document, "batch.global=8");
    EXPECT_EQ(all - sent(goal_text(document)), 2 * 3 * 2 * (64 << 10)) << resharding;
  }
}

// Between single devices a tensor is a message, and nothing shares a link.
TEST(GoalExport, what_is_resharded_takes_the_same_time_again) {
  config::Value document =
      unlike_meshes("send-recv", "devices: 0, sharding: {activations: R}", "devices: 1");
  config::set_path(document,
                   "cluster={devices: 2, device: {flops: {fp16: 1 TFLOP/s}, memory: 80 GiB, "
                   "memory_bandwidth: 1 TB/s}, link: {latency: 5 us, bandwidth: 1 GB/s}}");
  const double predicted = in_seconds(last_end(run(document, false).timeline));
  EXPECT_NEAR(in_seconds(from_goal(document)), predicted, 1e-3 * predicted);
}

TEST(GoalExport, sends_that_hold_somebody_are_refused) {
  for (const char* p2p : {"sender", "rendezvous", "{buffered: 1 MiB}"}) {
    config::Value document = pipeline("1f1b", 4, 8);
    config::set_path(document, std::string("overlap={p2p: ") + p2p + "}");
    EXPECT_NE(error_of([&] { goal_text(document); }).find("only 'p2p: async' can be written"),
              std::string::npos)
        << p2p;
  }
  EXPECT_NE(
      error_of([] { goal_text(pipeline("fbp-as", 4, 8)); }).find("fbp-as sends in its own way"),
      std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
