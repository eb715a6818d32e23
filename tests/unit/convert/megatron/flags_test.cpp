#include "convert/megatron/flags.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronFlags, the_last_of_several_holds) {
  FlagsOf given("--num-layers 4 --num-layers=8");
  EXPECT_EQ(given.flags->number("num-layers", 0), 8);
  EXPECT_EQ(given.import.assumed.size(), 1u);
}

TEST(MegatronFlags, values_are_what_python_makes_of_them) {
  EXPECT_EQ(error_of([] { FlagsOf("--log-interval often"); }),
            "run.sh:1:32: error: --log-interval needs a whole number, not 'often'");
  EXPECT_EQ(error_of([] { FlagsOf("--lr fast"); }),
            "run.sh:1:22: error: --lr needs a number, not 'fast'");
  EXPECT_NE(error_of([] {
              FlagsOf("--normalization Layernorm");
            }).find("--normalization needs LayerNorm or RMSNorm, not 'Layernorm'"),
            std::string::npos);
  for (const char* good : {"--log-interval 1_000", "--lr 6.0e-5", "--lr 1", "--log-interval $N",
                           "--data-path any thing", "--normalization RMSNorm"})
    EXPECT_EQ(error_of([&] { FlagsOf given(good); }), "no error") << good;
}

TEST(MegatronFlags, arguments_of_no_one_release_are_told) {
  FlagsOf apart("--DDP-impl local --moe-flex-dispatcher-backend deepep");
  apart.flags->review();
  ASSERT_FALSE(apart.import.assumed.empty());
  EXPECT_EQ(apart.import.assumed.back().find("no release of Megatron-LM has both --DDP-impl (until "
                                             "2023-08) and --moe-flex-dispatcher-backend (since "),
            0u);
  FlagsOf together("--num-layers 4 --use-distributed-optimizer --bf16");
  together.flags->review();
  EXPECT_TRUE(together.import.assumed.empty());
}

TEST(MegatronFlags, a_value_that_is_not_known_asks_for_its_variable) {
  FlagsOf given("--num-layers $LAYERS $EXTRA");
  EXPECT_EQ(error_of([&] { given.flags->number("num-layers", 0); }),
            "run.sh:1:30: error: --num-layers hangs on ${LAYERS}, which the script takes from "
            "outside: give it by --define LAYERS=VALUE");
  ASSERT_EQ(given.import.assumed.size(), 1u);
  EXPECT_NE(given.import.assumed[0].find("${EXTRA} is not set"), std::string::npos);
}

TEST(MegatronFlags, what_matters_and_cannot_be_said_is_refused_by_name) {
  EXPECT_EQ(error_of([] { FlagsOf("--lr 1 --cpu-offloading-num-layers 2").flags->review(); }),
            "run.sh:1:24: error: --cpu-offloading-num-layers 2 cannot be said: offloading by "
            "Transformer Engine is not modelled; --partial goes on without it, and says so in the "
            "experiment");
  EXPECT_EQ(error_of([] { FlagsOf("--cpu-offloading-num-layers 0").flags->review(); }), "no error");
  EXPECT_NE(error_of([] {
              FlagsOf("--num-layer-count 3").flags->review();
            }).find("no argument of Megatron-LM"),
            std::string::npos);
  FlagsOf partial("--lr 1 --cpu-offloading-num-layers 2 --no-rope-fusion", true);
  partial.flags->review();
  EXPECT_EQ(partial.import.refused.size(), 1u);
  EXPECT_EQ(partial.import.slight.size(), 1u);
  EXPECT_EQ(partial.import.unused, std::vector<std::string>{"--lr 1"});
}

// Forks name their loggers' runs.
TEST(MegatronFlags, what_a_logger_is_told_does_not_matter) {
  FlagsOf job("--wandb_team a --tensorboard-folder b");
  job.flags->review();
  EXPECT_EQ(job.import.unused,
            (std::vector<std::string>{"--wandb-team a", "--tensorboard-folder b"}));
  EXPECT_TRUE(job.import.refused.empty());
}

}  // namespace
}  // namespace pipewright::test
