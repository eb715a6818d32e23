#include "workload/model/measured_layers.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "experiments.hpp"

namespace pipewright::test {
namespace {

const std::string cluster_and_plan =
    "cluster: {node: dgx-a100-80g, nodes: 1, devices: 2}\n"
    "parallel: {pipeline: 2, data: 1}\nschedule: gpipe\nnetwork: alpha-beta\noptimizer: sgd\n";

config::Value of(const std::string& model, const std::string& rest = "") {
  return experiment("model: " + model + "\n" + cluster_and_plan + rest);
}

// Two equal stages of F 4 ms and B 8 ms, 4 micro-batches: (4 + 2 - 1) x 12 ms, and what the
// messages take (1 KiB over NVLink) and the update of a few weights.
TEST(MeasuredLayers, a_pipeline_takes_the_times_that_were_given) {
  const RunResult result =
      run(of("{layers: [{forward: 4 ms, backward: 8 ms, activation: 1 KiB, parameters: 1K},\n"
             "          {forward: 4 ms, backward: 8 ms, activation: 1 KiB, parameters: 1K}]}",
             "batch: {global: 4, micro: 1}\n"))
          .result;
  EXPECT_NEAR(in_seconds(result.metrics.iteration), 0.060, 0.0005);
  EXPECT_GE(result.metrics.iteration, milliseconds(60));
}

// Measured with 8 samples, run with 2: a quarter of everything.
TEST(MeasuredLayers, times_are_in_proportion_to_the_micro_batch) {
  const config::Value model = config::parse(
      "{layers: [{forward: 8 ms, backward: 16 ms, activation: 8 KiB}], batch: 8}", "m.yaml");
  const MeasuredLayers layers = read_measured_layers(*model.find("layers"), model.find("batch"));
  const std::vector<Layer> run = measured_layers(layers, {.micro_batch = 2}, model);
  EXPECT_EQ(run[0].forward[0].kernels[0].fixed, milliseconds(2));
  EXPECT_EQ(run[0].input_gradient[0].kernels[0].fixed, milliseconds(2));
  EXPECT_EQ(run[0].weight_gradient[0].kernels[0].fixed, milliseconds(2));
  EXPECT_EQ(run[0].stash, 2 * KiB);
  EXPECT_EQ(run[0].output, 2 * KiB);
}

TEST(MeasuredLayers, layers_cannot_be_split) {
  EXPECT_NE(error_of([] {
              run(
                  experiment("model: {layers: [{forward: 1 ms, backward: 1 ms}]}\n"
                             "cluster: {node: dgx-a100-80g, nodes: 1, devices: 2}\n"
                             "parallel: {tensor: 2}\nschedule: 1f1b\n"));
            }).find("cannot be split"),
            std::string::npos);
}

TEST(MeasuredLayers, mistakes_are_named_where_they_stand) {
  for (const char* wrong : {"{layers: []}", "{layers: [{forward: 1 ms}]}",
                            "{layers: [{forward: 1 ms, backward: 1 GB}]}",
                            "{layers: [{forward: 1 ms, backward: 1 ms, weight_gradient: 2 ms}]}",
                            "{layers: [{forward: 1 ms, backward: 1 ms}], measured_batch: 0}",
                            "{layers: [{forward: 1 ms, backward: 1 ms}], batches: 1}"})
    EXPECT_EQ(error_of([&] { run(of(wrong)); }).substr(0, 9), "x.yaml:1:") << wrong;
}

}  // namespace
}  // namespace pipewright::test
