// parallel.sbp through the front door: grids whose sides cut each product in its own way.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulate/run.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

config::Value signed_gpt(const std::string& rest, int micro) {
  return experiment(fmt::format(
      "model: {{transformer: {{layers: 2, hidden: 1024, heads: 16, ffn: 4096, vocabulary: "
      "8192}}}}\n"
      "cluster: {{node: p3.8xlarge, nodes: 2, fabric: {{kind: star, link: eth-25}}}}\n"
      "batch: {{global: 32, micro: {}, sequence: 256}}\nschedule: 1f1b\nprecision: fp16\n{}\n",
      micro, rest));
}

config::Value vgg(const std::string& rest, int micro) {
  return experiment(
      fmt::format("model: vgg-16\ncluster: {{node: p3.8xlarge, nodes: 2, fabric: {{kind: star, "
                  "link: eth-25}}}}\n"
                  "batch: {{global: 128, micro: {}}}\nschedule: 1f1b\nprecision: fp32\n{}\n",
                  micro, rest));
}

Run run_of(const config::Value& experiment) {
  return run_experiment(experiment, config::Catalogue{}, {});
}

double signed_iteration_s(const config::Value& experiment) {
  return in_seconds(run_of(experiment).result.metrics.iteration);
}

// A grid of 4 x 2 cut by batch on both sides is eight replicas: the same time and memory.
TEST(Sbp, batch_everywhere_takes_the_time_of_data_parallelism) {
  const auto data = run_of(signed_gpt("parallel: {data: 8}", 4));
  const auto cut = run_of(signed_gpt(
      "parallel: {sbp: {grid: [4, 2], layers: {qkv: batch, out: batch, up: batch, down: batch}}}",
      32));
  EXPECT_EQ(cut.result.metrics.iteration, data.result.metrics.iteration);
  EXPECT_EQ(cut.result.metrics.ranks[0].memory.total(),
            data.result.metrics.ranks[0].memory.total());
}

// Columns and rows on one side: Megatron-LM's four tensor ranks; beside it two by batch.
TEST(Sbp, columns_and_rows_beside_batch_take_the_time_of_megatrons_layout) {
  const auto tensor = run_of(signed_gpt("parallel: {tensor: 4, data: 2, sequence: false}", 16));
  const auto cut =
      run_of(signed_gpt("parallel: {sbp: {grid: [4, 2], layers: {qkv: [column, batch], out: [row, "
                        "batch], up: [column, batch], down: [row, batch]}}}",
                        32));
  EXPECT_EQ(cut.result.metrics.iteration, tensor.result.metrics.iteration);
  EXPECT_NEAR(static_cast<double>(cut.result.metrics.ranks[0].memory.total().count),
              static_cast<double>(tensor.result.metrics.ranks[0].memory.total().count), 1e6);
}

// Nothing that stands for others changes what they do.
TEST(Sbp, folded_is_unfolded) {
  const config::Value mixed = signed_gpt(
      "parallel: {sbp: {grid: [4, 2], layers: {qkv: [batch, batch], out: [row, batch], up: "
      "[column, batch], down: [row, column]}}}",
      16);
  EXPECT_EQ(run_experiment(mixed, config::Catalogue{}, {.fold = true}).result.metrics.iteration,
            run_experiment(mixed, config::Catalogue{}, {.fold = false}).result.metrics.iteration);
}

std::string vgg_layers(const std::string& dense) {
  std::string all;
  for (int i = 0; i < 13; ++i) all += "batch, ";
  return "[" + all + dense + ", " + dense + ", " + dense + "]";
}

TEST(Sbp, vgg_by_batch_takes_the_time_of_data_parallelism) {
  EXPECT_DOUBLE_EQ(signed_iteration_s(vgg(
                       "parallel: {sbp: {grid: [8], layers: " + vgg_layers("batch") + "}}", 128)),
                   signed_iteration_s(vgg("parallel: {data: 8}", 16)));
}

// Krizhevsky, arXiv 1404.5997: VGG's three dense layers have 124 of 138 million weights, 495 MB of
// gradients to sum over a slow port. Cut by columns they are not summed at all, for some megabytes
// of activations.
TEST(Sbp, vggs_dense_layers_are_better_cut) {
  const double batch = signed_iteration_s(
      vgg("parallel: {sbp: {grid: [8], layers: " + vgg_layers("batch") + "}}", 128));
  const double columns = signed_iteration_s(
      vgg("parallel: {sbp: {grid: [8], layers: " + vgg_layers("column") + "}}", 128));
  EXPECT_LT(columns, batch);
}

TEST(Sbp, what_was_resolved_runs_to_the_same_number) {
  const auto first = run_of(signed_gpt(
      "parallel: {sbp: {grid: [4, 2], layers: {qkv: column, out: row, up: batch, down: batch}}}",
      8));
  const auto again = run_of(first.result.experiment);
  EXPECT_EQ(again.result.metrics.iteration, first.result.metrics.iteration);
}

TEST(Sbp, mistakes_are_named) {
  const auto error = [](const std::string& parallel) {
    return error_of([&] { run_of(signed_gpt("parallel: " + parallel, 32)); });
  };
  const std::string layers = "layers: {qkv: batch, out: batch, up: batch, down: batch}";
  EXPECT_NE(error("{sbp: {grid: [4, 2], layers: {qkv: batch}}}").find("'out'"), std::string::npos);
  EXPECT_NE(
      error("{sbp: {grid: [4, 2], layers: {qkv: [batch], out: batch, up: batch, down: batch}}}")
          .find("the grid has 2 sides, but here are 1 words"),
      std::string::npos);
  EXPECT_NE(
      error("{sbp: {grid: [4, 2], layers: [batch]}}").find("a transformer's layers are a map"),
      std::string::npos);
  EXPECT_NE(error("{tensor: 4, sbp: {grid: [4, 2], " + layers + "}}")
                .find("the grid of sbp has 8 devices"),
            std::string::npos);
  EXPECT_NE(error("{pipeline: 2, sbp: {grid: [4], " + layers + "}}").find("sbp: the grid is all"),
            std::string::npos);
  EXPECT_NE(error("{sbp: {grid: [4], " + layers + "}}\nstrategy: [{layers: 0-1}]")
                .find("either 'strategy' or 'parallel.sbp'"),
            std::string::npos);
  EXPECT_NE(error("{tensor_kind: 2d, tensor: 4, sbp: {grid: [4], " + layers + "}}")
                .find("'tensor_kind' means nothing beside 'sbp'"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
