// Names of frameworks, and what each means.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "experiment/readers.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Experiment of_framework(const std::string& name, const std::string& rest = "") {
  const std::string said = name.empty() ? "" : "framework: " + name + "\n";
  return read_experiment(small_gpt(said + "schedule: 1f1b\n" + rest));
}

TEST(FrameworkName, that_is_another_front_end_is_what_it_runs) {
  for (const char* name : {"nemo", "megatron-bridge", "megatron-fsdp"})
    EXPECT_EQ(of_framework(name).framework, Framework::megatron) << name;
  for (const char* name : {"ddp", "fsdp1"})
    EXPECT_EQ(of_framework(name).framework, Framework::torch) << name;
  for (const char* name : {"maxtext", "paxml"})
    EXPECT_EQ(of_framework(name).framework, Framework::jax) << name;
}

TEST(FrameworkName, of_a_release_is_that_of_its_behaviour) {
  EXPECT_EQ(of_framework("deepspeed-0.3").framework, Framework::deepspeed_0_4);
  EXPECT_EQ(of_framework("deepspeed-0.5").framework, Framework::deepspeed_0_5);
  for (int release = 6; release <= 16; ++release)
    EXPECT_EQ(of_framework(fmt::format("deepspeed-0.{}", release)).framework, Framework::deepspeed);
}

TEST(FrameworkName, that_is_listed_is_read) {
  for (const std::string_view name : choices::framework)
    EXPECT_EQ(error_of([&] { of_framework(std::string(name)); }), "no error") << name;
  EXPECT_EQ(read_framework(config::scalar("fsdp2")), Framework::fsdp2);
  EXPECT_EQ(read_framework(config::scalar("megatron-2021")), Framework::megatron_2021);
}

TEST(FrameworkName, ddp_keeps_weights_whole) {
  EXPECT_NE(error_of([] {
              of_framework("ddp", "parallel: {zero: 3}\n");
            }).find("x.yaml:4:12: error: framework: ddp keeps weights and gradients whole"),
            std::string::npos);
}

TEST(FrameworkName, fsdp_cuts_more_than_the_optimizer_s_state) {
  for (const std::string name : {"fsdp1", "fsdp2"}) {
    EXPECT_NE(error_of([&] {
                of_framework(name, "parallel: {zero: 1}\n");
              }).find("x.yaml:4:12: error: framework: " + name + " cuts more than"),
              std::string::npos);
    for (const char* zero : {"0", "2", "3"})
      EXPECT_EQ(
          error_of([&] { of_framework(name, fmt::format("parallel: {{zero: {}}}\n", zero)); }),
          "no error");
  }
}

// Sharding names no framework. Unfused attention in 16 bits is of Megatron-LM's first years.
TEST(FrameworkName, that_nobody_says_is_megatron_of_some_year) {
  EXPECT_EQ(of_framework("", "parallel: {zero: 3}\n").framework, Framework::megatron);
  const std::string unfused = "attention: unfused\nprecision: fp16\n";
  EXPECT_EQ(of_framework("", unfused).framework, Framework::megatron_2021);
  EXPECT_EQ(of_framework("megatron", unfused).framework, Framework::megatron);
  EXPECT_EQ(of_framework("", "attention: unfused\nprecision: fp32\n").framework,
            Framework::megatron);
}

}  // namespace
}  // namespace pipewright::test
