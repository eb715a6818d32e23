#include "convert/megatron/overlap.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "error_of.hpp"
#include "experiments.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

config::Value overlap_of(const std::string& text) {
  return *import_text(text).experiment.find("overlap");
}

// Megatron-LM overlaps neither by itself, and gathers weights where it cuts the optimizer's state.
TEST(MegatronOverlap, weights_are_gathered_beside_a_pass_where_it_says_so) {
  const std::string cut = small_job + " --use-distributed-optimizer";
  EXPECT_EQ(at(overlap_of(cut), {"weights"}), "false");
  EXPECT_EQ(at(overlap_of(cut + " --overlap-param-gather"), {"weights"}), "true");
  EXPECT_EQ(overlap_of(small_job).find("weights"), nullptr);
  const std::string fsdp = small_job + " --use-megatron-fsdp --overlap-param-gather";
  EXPECT_EQ(overlap_of(fsdp).find("weights"), nullptr);
}

// combined_1f1b: weight gradients come behind the exchange that they hide, as those of pairs do.
TEST(MegatronOverlap, pairs_put_weight_gradients_off) {
  const std::string experts =
      small_job +
      " --num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 512 "
      "--expert-model-parallel-size 2 --moe-token-dispatcher-type alltoall --delay-wgrad-compute ";
  EXPECT_EQ(at(overlap_of(experts + "--overlap-moe-expert-parallel-comm"), {"expert"}), "pairs");
  EXPECT_NE(error_of([&] { overlap_of(experts); }).find("--delay-wgrad-compute cannot be said"),
            std::string::npos);
}

// They run behind it here, which a note says where there are both.
TEST(MegatronOverlap, only_shared_experts_run_beside_the_exchange) {
  const auto notes = [](const std::string& more) {
    const job::Import import =
        import_text(small_job +
                    "--num-experts 8 --moe-router-topk 2 --moe-ffn-hidden-size 512 "
                    "--moe-token-dispatcher-type alltoall --moe-shared-expert-overlap " +
                    more);
    return std::ranges::count_if(import.slight, [](const std::string& note) {
      return note.starts_with("--moe-shared-expert-overlap: shared experts are taken to run");
    });
  };
  const std::string shared = "--moe-shared-expert-intermediate-size 512 ";
  EXPECT_EQ(notes(shared + "--expert-model-parallel-size 2"), 1);
  EXPECT_EQ(notes(shared), 0);
  EXPECT_EQ(notes("--expert-model-parallel-size 2"), 0);
}

}  // namespace
}  // namespace pipewright::test
