#include "convert/accelerate/program_arguments.hpp"

#include <gtest/gtest.h>

namespace pipewright::test {
namespace {

TEST(AccelerateProgramArguments, a_length_has_several_names) {
  for (const char* name : {"max_seq_length", "max_length", "cutoff_len", "max_seq_len"})
    EXPECT_EQ(accelerate::read_as(name), "max_seq_length") << name;
  EXPECT_EQ(accelerate::read_as("learning_rate"), "");
}

// ms-swift's tuner_type, trl's use_peft and load_in_4bit, peft's examples.
TEST(AccelerateProgramArguments, what_is_not_trained_is_refused) {
  EXPECT_NE(accelerate::refusal_of("tuner_type", "lora"), "");
  EXPECT_EQ(accelerate::refusal_of("tuner_type", "full"), "");
  EXPECT_NE(accelerate::refusal_of("use_peft_lora", "True"), "");
  EXPECT_EQ(accelerate::refusal_of("use_peft", "false"), "");
  EXPECT_NE(accelerate::refusal_of("load_in_4bit", "true"), "");
  EXPECT_EQ(accelerate::refusal_of("learning_rate", "1e-4"), "");
}

TEST(AccelerateProgramArguments, a_program_that_divides_its_work_itself_is_refused) {
  EXPECT_NE(accelerate::refusal_of("cp_size", "2"), "");
  EXPECT_EQ(accelerate::refusal_of("cp_size", "1"), "");
  EXPECT_NE(accelerate::refusal_of("fsdp", "full_shard"), "");
}

TEST(AccelerateProgramArguments, a_program_that_answers_trains_nothing) {
  EXPECT_NE(accelerate::refusal_of("max_new_tokens", "200"), "");
  EXPECT_EQ(accelerate::refusal_of("max_length", "200"), "");
}

}  // namespace
}  // namespace pipewright::test
