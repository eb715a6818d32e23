#include "convert/deepspeed/batch.hpp"

#include <gtest/gtest.h>

namespace pipewright::deepspeed {
namespace {

void expect(const GivenBatch& given, int64_t train, int64_t micro, int64_t steps) {
  const Batch batch = complete(given, 8);
  EXPECT_EQ(batch.train, train);
  EXPECT_EQ(batch.micro, micro);
  EXPECT_EQ(batch.steps, steps);
  EXPECT_TRUE(agrees(batch, 8));
}

// Eight replicas: 64 sequences are 4 steps of 2, or one of 8. The table is that of DeepSpeed's
// documentation, "Batch Size Related Parameters".
TEST(DeepSpeedBatch, what_is_missing_follows_from_the_rest) {
  expect({.train = 64, .micro = 2, .steps = 4}, 64, 2, 4);
  expect({.train = 64, .micro = 2, .steps = {}}, 64, 2, 4);
  expect({.train = 64, .micro = {}, .steps = 4}, 64, 2, 4);
  expect({.train = {}, .micro = 2, .steps = 4}, 64, 2, 4);
  expect({.train = 64, .micro = {}, .steps = {}}, 64, 8, 1);
  expect({.train = {}, .micro = 2, .steps = {}}, 16, 2, 1);
}

TEST(DeepSpeedBatch, three_that_contradict_each_other_do_not_agree) {
  EXPECT_FALSE(agrees(complete({.train = 65, .micro = 2, .steps = {}}, 8), 8));
  EXPECT_FALSE(agrees(complete({.train = 4, .micro = {}, .steps = {}}, 8), 8));
  EXPECT_FALSE(agrees(complete({.train = {}, .micro = {}, .steps = 3}, 8), 8));
}

}  // namespace
}  // namespace pipewright::deepspeed
