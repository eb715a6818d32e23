#include "convert/megatron/lengths.hpp"

#include <gtest/gtest.h>

#include "convert/job/settings.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronLengths, rates_are_stretched_with_a_training) {
  config::Value along = config::parse(
      "{lr: 1, lr-decay-iters: 900, optim: {lr_scheduler: {warmup_steps: 10}}, save-interval: 100}",
      "a.yaml");
  const auto all = megatron::stretch(along, 1000, 500);
  EXPECT_EQ(job::written(along),
            "{lr: 1, lr-decay-iters: 450, optim: {lr_scheduler: {warmup_steps: 5}}, "
            "save-interval: 100}");
  EXPECT_EQ(megatron::stretched_lines(all, "train-iters", 1000, 500),
            "# assumed: lr-decay-iters is 450, not 900, as train-iters is 500, not 1000\n"
            "# assumed: optim.lr_scheduler.warmup_steps is 5, not 10, as train-iters is 500, not "
            "1000\n");
}

// A warm-up keeps a step, and one of none has none.
TEST(MegatronLengths, nothing_is_stretched_to_nothing) {
  config::Value along = config::parse("{lr-warmup-iters: 1, lr_decay_iters: 0}", "a.yaml");
  megatron::stretch(along, 1000, 10);
  EXPECT_EQ(job::written(along), "{lr-warmup-iters: 1, lr_decay_iters: 0}");
}

TEST(MegatronLengths, what_is_not_known_is_not_stretched) {
  config::Value along = config::parse("{lr-decay-iters: 900}", "a.yaml");
  EXPECT_TRUE(megatron::stretch(along, 0, 500).empty());
  EXPECT_TRUE(megatron::stretch(along, 500, 500).empty());
}

}  // namespace
}  // namespace pipewright::test
