#include "convert/job/step_counts.hpp"

#include <gtest/gtest.h>

#include "../megatron/flags_of.hpp"

namespace pipewright::test {
namespace {

constexpr std::string_view paths[] = {"rates.warmup", "stages.*.start"};

struct Counted {
  config::Value along;
  std::vector<std::string> notes;
};

Counted counted(const char* along, double tokens) {
  Counted out{config::parse(along, "a.yaml"), {}};
  job::count_in_steps(out.along, paths, tokens, out.notes);
  return out;
}

// 600 steps of 2 Mi tokens are 150 of 8 Mi.
TEST(StepCounts, keep_their_tokens) {
  const Counted out =
      counted("{rates: {warmup: 600, lr: 0.1}, step: {tokens: 2097152}}", 4 * 2097152.0);
  EXPECT_EQ(at(out.along, {"rates", "warmup"}), "150");
  EXPECT_EQ(at(out.along, {"rates", "lr"}), "0.1");
  EXPECT_EQ(out.notes.size(), 1u);
  EXPECT_FALSE(out.along.find("step"));
}

TEST(StepCounts, stay_in_steps_of_the_same_size) {
  const Counted out = counted("{rates: {warmup: 600}, step: {tokens: 4096}}", 4096);
  EXPECT_EQ(at(out.along, {"rates", "warmup"}), "600");
  EXPECT_TRUE(out.notes.empty());
}

TEST(StepCounts, may_have_digits_in_groups) {
  EXPECT_EQ(
      at(counted("{rates: {warmup: 2_000}, step: {tokens: 100}}", 200).along, {"rates", "warmup"}),
      "1000");
}

TEST(StepCounts, are_one_at_least) {
  EXPECT_EQ(at(counted("{rates: {warmup: 3}, step: {tokens: 1}}", 1e9).along, {"rates", "warmup"}),
            "1");
}

// The first stage of data begins with the first step.
TEST(StepCounts, may_stand_in_lists) {
  const Counted out = counted("{stages: [{start: 1}, {start: 100}], step: {tokens: 1000}}", 10'000);
  const config::Value& stages = *out.along.find("stages");
  EXPECT_EQ(at(stages.items[0], {"start"}), "1");
  EXPECT_EQ(at(stages.items[1], {"start"}), "10");
}

TEST(StepCounts, alone_leave_nothing_that_goes_along) {
  EXPECT_TRUE(counted("{step: {tokens: 1000}}", 10).along.is_null());
}

TEST(StepCounts, are_carried_with_the_tokens_of_a_step) {
  job::Import import;
  import.experiment = config::parse("batch: {global: 16, micro: 1, sequence: 128}", "e.yaml");
  job::carry_step(import, "mine");
  EXPECT_EQ(job::tokens_of_a_step(*import.carried.find("mine")), 2048);
  EXPECT_FALSE(import.carried.find("mine")->find("step")->find("devices"));
}

}  // namespace
}  // namespace pipewright::test
