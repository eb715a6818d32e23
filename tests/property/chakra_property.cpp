// What is written as Chakra and run again takes as long as what it was written from.
#include <gtest/gtest.h>

#include "convert/export_trace.hpp"
#include "interop/chakra.hpp"
#include "machine/machine.hpp"
#include "schedule/kinds/kinds.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"
#include "support/exported_pipeline.hpp"
#include "support/last_end.hpp"
#include "trace/trace.hpp"

namespace pipewright::test {
namespace {

std::vector<std::string> chakra_files(const config::Value& document) {
  std::vector<std::string> files;
  const config::Catalogue catalogue;
  export_chakra(read_experiment(resolve(document, catalogue)), catalogue, {},
                [&](uint32_t, const std::string& contents) { files.push_back(contents); });
  return files;
}

/// The makespan of what is written, on the same cluster.
Time from_chakra(const config::Value& document) {
  const config::Catalogue catalogue;
  const Experiment e = read_experiment(resolve(document, catalogue));
  const Machine machine = read_machine(e, catalogue);
  const goal::Goal goal = chakra::parse(chakra_files(document), "t");
  const Topology* shared = e.network.kind == NetworkKind::flow ? &machine.topology() : nullptr;
  return last_end(run_trace(goal, machine.prices(e), {.topology = shared}).timeline);
}

TEST(ChakraExport, every_schedule_with_async_sends_takes_the_same_time_again) {
  int compared = 0;
  for (const schedule::Kind* kind : schedule::kinds()) {
    const config::Value document = pipeline(std::string(kind->name), 4, 8);
    std::optional<Timeline> predicted;
    const std::string misfit = error_of([&] { predicted = run(document, false).timeline; });
    if (!predicted) continue;
    Time measured;
    const std::string refused = error_of([&] { measured = from_chakra(document); });
    if (refused != "no error") {
      EXPECT_NE(refused.find("Chakra"), std::string::npos) << kind->name << ": " << refused;
      continue;
    }
    EXPECT_EQ(measured, last_end(*predicted)) << kind->name;
    ++compared;
  }
  EXPECT_GE(compared, 18);
}

/// A transformer over tensor, pipeline and data parallel devices, collectives in all directions.
config::Value transformer(const std::string& network) {
  return experiment(
      "model: {transformer: {layers: 4, hidden: 512, heads: 8, ffn: 2048, vocabulary: 1024}}\n"
      "cluster: {devices: 8, device: {flops: {bf16: 100 TFLOP/s}, memory: 80 GiB,"
      " memory_bandwidth: 1 TB/s}, link: {latency: 5 us, bandwidth: 10 GB/s}}\n"
      "batch: {global: 16, micro: 1, sequence: 512}\n"
      "parallel: {tensor: 2, pipeline: 2, data: 2}\nschedule: 1f1b\nnetwork: " +
      network + "\n");
}

// Lengths of calculations are rounded to ns: half a ns for each op of the longest chain, some 200.
TEST(ChakraExport, collectives_take_the_same_time_again) {
  for (const char* network : {"alpha-beta", "flow"}) {
    const config::Value document = transformer(network);
    const Time predicted = last_end(run(document, false).timeline);
    EXPECT_NEAR(in_seconds(from_chakra(document)), in_seconds(predicted), 200 * 0.5e-9) << network;
  }
}

}  // namespace
}  // namespace pipewright::test
