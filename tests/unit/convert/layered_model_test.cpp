#include "convert/layered_model.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "config/emit.hpp"
#include "error_of.hpp"
#include "simulate/run.hpp"
#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

using config::Value;

TEST(LayeredModel, what_is_not_known_is_left_out) {
  const Value model = convert::layered_model(
      "d", {{.name = "a", .forward_ms = 1, .backward_ms = 2, .parameters = 3}, {.name = "b"}});
  const Value& layers = *model.find("layers");
  ASSERT_EQ(layers.items.size(), 2u);
  EXPECT_EQ(layers.items[0].find("forward")->text, "1 ms");
  EXPECT_EQ(layers.items[0].find("parameters")->text, "3");
  EXPECT_EQ(layers.items[0].find("output"), nullptr);
  EXPECT_EQ(layers.items[1].find("parameters"), nullptr);
}

/// Micro-batches through `layers` layers of 10 us forward and 20 us backward.
std::string profile(int layers, int micro_batches) {
  TorchTrace trace;
  double at = 0;
  for (int i = 0; i < micro_batches; ++i) {
    for (int k = 0; k < layers; ++k, at += 10) trace.kernel("f", at, 10, at);
    trace.backward(at, 20 * layers - 1, 2);
    for (int k = 0; k < layers; ++k, at += 20) trace.kernel("b", at, 20, at, 2);
  }
  return trace.text();
}

// A device that runs 3 micro-batches of 4 layers computes 3 * 4 * 30 us.
TEST(LayeredModel, a_profile_becomes_a_model_that_takes_as_long) {
  const TemporaryFolder folder;
  const std::string text = convert::model_of_profiles({folder.write("t.json", profile(4, 3))});
  EXPECT_NE(text.find("3 micro-batches on 1 stage."), std::string::npos) << text;
  Value experiment = config::parse(
      "{cluster: {devices: 1, device: {flops: {bf16: 1 TFLOP/s}, memory: 1 GiB, "
      "memory_bandwidth: 1 TB/s}, link: {latency: 0 s}}, batch: {global: 3}, schedule: 1f1b}",
      "test");
  experiment.set("model", config::parse(text, "model"));
  const auto run = run_experiment(experiment, config::Catalogue{}, {});
  EXPECT_NEAR(in_seconds(run.result.metrics.breakdown.computing()), 360e-6, 1e-9);
}

TEST(LayeredModel, a_profile_without_layers_is_refused) {
  const TemporaryFolder folder;
  EXPECT_NE(error_of([&] {
              convert::model_of_profiles({folder.write("t.json", profile(1, 2))});
            }).find("shows layers"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
