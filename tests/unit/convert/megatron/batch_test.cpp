#include "convert/megatron/batch.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

const std::string sizes = "--micro-batch-size 2 --seq-length 1024 ";

megatron::Batch batch_of(const std::string& text, int64_t replicas = 4) {
  FlagsOf given(sizes + text);
  return megatron::read_batch(*given.flags, {.data = replicas});
}

std::string note_of(const std::string& text) {
  FlagsOf given(sizes + text);
  megatron::read_batch(*given.flags, {.data = 4});
  return given.import.assumed.empty() ? "" : given.import.assumed.front();
}

TEST(MegatronBatch, without_a_global_one_has_a_micro_batch_for_every_replica) {
  EXPECT_EQ(batch_of("").global, 8);
  EXPECT_EQ(batch_of("--global-batch-size 64").global, 64);
  EXPECT_EQ(batch_of("--global-batch-size 64").sequence, 1024);
  EXPECT_NE(error_of([] { batch_of("--global-batch-size 12"); }).find("is not a multiple of 4"),
            std::string::npos);
}

TEST(MegatronBatch, that_grows_is_its_last_one_and_says_so) {
  const std::string ramp = "--global-batch-size 64 --train-samples 1000 --rampup-batch-size ";
  EXPECT_EQ(batch_of(ramp + "16 16 5_000").global, 64);
  EXPECT_EQ(note_of(ramp + "16 16 5_000"),
            "--rampup-batch-size: the batch grows from 16 by 16 over 5000 samples; what is "
            "simulated is the last one, of 64");
}

// Megatron-LM asserts each of them.
TEST(MegatronBatch, that_cannot_grow_so_is_an_error) {
  const std::string ramp = "--global-batch-size 64 --train-samples 1000 --rampup-batch-size ";
  EXPECT_NE(error_of([&] { batch_of(ramp + "16 20 5000"); }).find("does not lead from 16"),
            std::string::npos);
  EXPECT_NE(error_of([&] { batch_of(ramp + "16 16"); }).find("not 2 values"), std::string::npos);
  EXPECT_NE(error_of([&] { batch_of(ramp + "16 0 1"); }).find("whole numbers"), std::string::npos);
  EXPECT_NE(error_of([&] {
              batch_of("--global-batch-size 64 --train-iters 9 --rampup-batch-size 16 16 1");
            }).find("needs --train-samples"),
            std::string::npos);
}

TEST(MegatronBatch, of_a_schedule_is_that_of_its_last_step) {
  const std::string schedule = "--step-batch-size-schedule '0:768 250B:1536'";
  EXPECT_EQ(batch_of(schedule).global, 1536);
  EXPECT_NE(note_of(schedule).find("the last batch, of 1536"), std::string::npos);
  EXPECT_NE(error_of([] { batch_of("--step-batch-size-schedule 768"); }).find("THRESHOLD:BATCH"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
