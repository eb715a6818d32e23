#include "convert/megatron/given_sizes.hpp"

#include <gtest/gtest.h>

#include "error_of.hpp"
#include "flags_of.hpp"

namespace pipewright::test {
namespace {

std::string refused(const std::string& text) {
  return error_of([&] {
    FlagsOf given(text);
    megatron::accept_given_sizes(
        *given.flags,
        config::parse("{hidden: 4096, heads: 32, kv_heads: 8, gated: true, norm: rmsnorm}", "x"));
    given.flags->refuse_unused("model.", "the model is given");
  });
}

TEST(MegatronGivenSizes, that_agree_with_the_model_may_stand) {
  EXPECT_EQ(refused("--hidden-size 4096 --group-query-attention --num-query-groups 8 --swiglu "
                    "--normalization RMSNorm"),
            "no error");
  EXPECT_NE(refused("--hidden-size 2048").find("--hidden-size 2048 cannot be said"),
            std::string::npos);
  EXPECT_NE(refused("--group-query-attention --num-query-groups 4"), "no error");
  EXPECT_NE(refused("--normalization LayerNorm"), "no error");
}

}  // namespace
}  // namespace pipewright::test
