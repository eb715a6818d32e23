// `boundary` in an experiment: what tensor ranks send to the next stage.
#include "plan/boundary.hpp"

#include <gtest/gtest.h>

#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Two stages of eight V100 each, one Ethernet port of 25 Gb/s a node, one micro-batch.
Run two_nodes(const std::string& rest, const std::string& schedule = "gpipe") {
  return run(experiment(
      "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}\n"
      "cluster: {node: p3.16xlarge, nodes: 2, fabric: {kind: star, link: eth-25}}\n"
      "parallel: {tensor: 8, pipeline: 2, data: 1}\n"
      "batch: {global: 1, micro: 1, sequence: 1024}\n"
      "precision: fp16\n"
      "schedule: " +
      schedule + "\n" + rest));
}

double sent_by_run(const Run& run) {
  return run.result.metrics.communication[static_cast<size_t>(Traffic::pipeline)].bytes;
}

constexpr double output = 1024 * 1024 * 2;  // tokens x hidden x fp16

// The output and, back, its gradient: from each of eight ranks, or an eighth from each.
TEST(Boundary, scattered_leaves_once) {
  EXPECT_EQ(sent_by_run(two_nodes("")), 2 * 8 * output);
  EXPECT_EQ(sent_by_run(two_nodes("boundary: whole\n")), 2 * 8 * output);
  EXPECT_EQ(sent_by_run(two_nodes("boundary: scatter-gather\n")), 2 * output);
}

// Seven eighths of what the port carried, there and back, no longer take its time; gathering 2 MiB
// over NVLink, and what TCP adds to a byte, come to less than a tenth of that.
TEST(Boundary, the_port_is_held_an_eighth_as_long) {
  const double whole = in_seconds(two_nodes("").result.metrics.iteration);
  const double parts = in_seconds(two_nodes("boundary: scatter-gather\n").result.metrics.iteration);
  const double less_on_port = 2 * 7 * output / (25e9 / 8);
  EXPECT_LT(whole - parts, 1.1 * less_on_port);
  EXPECT_GT(whole - parts, 0.9 * less_on_port);
}

// Slices of tokens are sent and gathered slice by slice: the same bytes in all.
TEST(Boundary, slices_are_scattered_too) {
  EXPECT_EQ(sent_by_run(two_nodes("boundary: scatter-gather\n", "{name: terapipe, slices: 4}")),
            2 * output);
}

// With sequence parallelism ranks hold different tokens: each sends what it has, once in all.
TEST(Boundary, sequence_parallel_outputs_are_apart_already) {
  config::Value plain = two_nodes("").result.experiment;
  plain.find("parallel")->set("sequence", config::scalar("true"));
  config::Value scattered = plain;
  scattered.set("boundary", config::scalar("scatter-gather"));
  EXPECT_EQ(sent_by_run(run(plain)), 2 * output);
  EXPECT_EQ(run(plain).result.metrics.iteration, run(scattered).result.metrics.iteration);
}

// A pass begins with the gathering of what it needs: 400 B forward, 800 B backward, of which an
// eighth comes to each.
TEST(Boundary, a_pass_begins_with_what_it_gathers) {
  StageWork stage;
  stage.forward.emplace_back();
  stage.backward.emplace_back();
  stage.backward_output = {400};
  stage.forward_output = {800};
  set_boundary({.parts = 8}, DType::fp16, {.before = true, .after = true}, stage);
  ASSERT_EQ(stage.forward.size(), 2U);
  EXPECT_EQ(stage.forward.front().collective->bytes, Bytes{400});
  EXPECT_EQ(stage.backward.front().collective->bytes, Bytes{800});
  EXPECT_EQ(stage.backward.front().collective->kind, CollectiveKind::all_gather);
  EXPECT_EQ(stage.forward_output, Bytes{100});
  EXPECT_EQ(stage.backward_output, Bytes{50});
  EXPECT_TRUE(stage.input_gradient.empty());
}

TEST(Boundary, what_is_no_boundary_is_refused) {
  EXPECT_NE(error_of([] { two_nodes("boundary: thrown\n"); }).find("scatter-gather"),
            std::string::npos);
  const std::string unlike = error_of([] {
    run(experiment(
        "model: {transformer: {layers: 4, hidden: 1024, heads: 16, ffn: 4096, vocabulary: 32768}}\n"
        "cluster: {node: p3.16xlarge, nodes: 2, fabric: {kind: star, link: eth-25}}\n"
        "batch: {global: 2, micro: 1, sequence: 1024}\nschedule: 1f1b\nprecision: fp16\n"
        "boundary: scatter-gather\n"
        "strategy: [{layers: 0-1, devices: 0-7, tensor: 8, data: 1},\n"
        "           {layers: 2-3, devices: 8-11, tensor: 4, data: 1}]\n"));
  });
  EXPECT_NE(unlike.find("resharding"), std::string::npos);
}

// 8 bits a number and 4 bytes for 4096 of them, in place of 16 bits: output and gradient of each of
// eight ranks; or of an eighth from each.
TEST(Boundary, compressed_is_a_byte_a_number_and_scales) {
  const double numbers = output / 2, narrow = numbers + 4 * numbers / 4096;
  EXPECT_EQ(sent_by_run(two_nodes("boundary: {compress: int8}\n")), 2 * 8 * narrow);
  EXPECT_EQ(sent_by_run(two_nodes("boundary: {send: scatter-gather, compress: int8}\n")),
            2 * narrow);
  EXPECT_EQ(sent_by_run(two_nodes("boundary: {compress: none}\n")), 2 * 8 * output);
}

// The port is held about half as long, less what four kernels take that stream 2 MiB and 1 MiB
// each, which is below a tenth of it.
TEST(Boundary, compressing_takes_kernels_and_saves_half_of_the_port) {
  const double whole = in_seconds(two_nodes("").result.metrics.iteration);
  const double narrow =
      in_seconds(two_nodes("boundary: {compress: int8}\n").result.metrics.iteration);
  const double less_on_port = 8 * output / (25e9 / 8);
  EXPECT_LT(whole - narrow, 1.05 * less_on_port);
  EXPECT_GT(whole - narrow, 0.8 * less_on_port);
}

// What is compressed is computed: two kernels more in each pass of a stage between two others.
TEST(Boundary, kernels_are_where_links_are) {
  const auto kernels_of = [](const std::string& rest) {
    return two_nodes(rest).program.works.size();
  };
  EXPECT_GT(kernels_of("boundary: {compress: int8}\n"), kernels_of(""));
  const auto on_one = [](const std::string& rest) {
    return run(small_gpt("schedule: 1f1b\nparallel: {pipeline: 1, data: 16}\n" + rest))
        .result.metrics.iteration;
  };
  EXPECT_EQ(on_one("boundary: {compress: int8}\n"), on_one(""));
}

}  // namespace
}  // namespace pipewright::test
