#include "diagnose/layer_times.hpp"

#include <gtest/gtest.h>

#include "unit/diagnose/torch_work.hpp"

namespace pipewright::test {
namespace {

using diagnose::NameRepetition;

void expect(std::vector<uint32_t> names, NameRepetition expected) {
  const NameRepetition found = diagnose::longest_repetition(names);
  EXPECT_EQ(found.begin, expected.begin);
  EXPECT_EQ(found.period, expected.period);
  EXPECT_EQ(found.count, expected.count);
}

TEST(LayerTimes, the_longest_repetition_is_found) {
  expect({9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 7}, {1, 3, 3});
  expect({1, 1, 2, 1, 1, 2, 1, 1, 2}, {0, 3, 3});  // a layer may repeat a kernel
  expect({1, 2, 1, 2, 1, 2, 1, 2}, {0, 2, 4});     // of equal ones that of the shortest period
  expect({1, 2, 3, 4}, {});
  expect({}, {});
}

/// One micro-batch through an embedding of 5 us, two layers of 10 and 20 us and a head of 7 us;
/// backward twice as long, at `begin`.
void add_micro_batch(TorchTrace& trace, double begin) {
  double at = begin;
  const auto kernel = [&](const char* name, double length, int thread) {
    trace.kernel(name, at, length, at, thread);
    at += length;
  };
  kernel("embed", 5, 1);
  for (const char* name : {"gemm", "norm", "gemm", "norm"}) kernel(name, name[0] == 'g' ? 8 : 2, 1);
  kernel("head", 7, 1);
  const double backward = at;
  kernel("head", 14, 2);
  for (const char* name : {"norm_b", "gemm_b", "norm_b", "gemm_b"})
    kernel(name, name[0] == 'g' ? 16 : 4, 2);
  kernel("embed_b", 10, 2);
  trace.backward(backward, at - backward, 2);
}

TEST(LayerTimes, layers_of_all_passes_are_summed_the_first_is_last_of_a_backward) {
  TorchTrace trace;
  add_micro_batch(trace, 0);
  add_micro_batch(trace, 1000);
  const auto layers = diagnose::layer_times(work_of(trace), 0);
  ASSERT_EQ(layers.size(), 4u);
  const std::vector<std::tuple<std::string, double, double>> expected = {
      {"before the layers", 5, 10},
      {"layer 0", 10, 20},
      {"layer 1", 10, 20},
      {"after the layers", 7, 14}};
  for (size_t i = 0; i < layers.size(); ++i) {
    EXPECT_EQ(layers[i].name, std::get<0>(expected[i]));
    EXPECT_NEAR(layers[i].forward_s, 2e-6 * std::get<1>(expected[i]), 1e-12);
    EXPECT_NEAR(layers[i].backward_s, 2e-6 * std::get<2>(expected[i]), 1e-12);
  }
}

// A metric is measured after the step: a pass of three kernels, where two layers have four.
TEST(LayerTimes, a_pass_that_is_shorter_than_two_layers_comes_after_them) {
  TorchTrace trace;
  add_micro_batch(trace, 0);
  trace.kernel("topk", 500, 3, 500).kernel("topk", 503, 3, 503).kernel("mean", 506, 1, 506);
  const auto layers = diagnose::layer_times(work_of(trace), 0);
  ASSERT_EQ(layers.size(), 4u);
  EXPECT_NEAR(layers[1].forward_s, 10e-6, 1e-12);
  EXPECT_NEAR(layers[3].forward_s, (7 + 7) * 1e-6, 1e-12);
}

TEST(LayerTimes, a_forward_alone_has_no_layers) {
  TorchTrace trace;
  for (int i = 0; i < 4; ++i) trace.kernel(i % 2 == 0 ? "gemm" : "norm", 10 * i, 5, 10 * i);
  EXPECT_TRUE(diagnose::layer_times(work_of(trace), 0).empty());
}

}  // namespace
}  // namespace pipewright::test
