#include <gtest/gtest.h>

#include "lines_of.hpp"

namespace pipewright::test {
namespace {

TEST(MegatronWriteRecompute, recomputation_has_its_three_forms) {
  const auto recompute = [](const std::string& value) {
    return lines_of(megatron::write_recompute, small_experiment + "recompute: " + value + "\n");
  };
  EXPECT_EQ(recompute("selective"), "--recompute-granularity selective\n");
  EXPECT_EQ(recompute("full"),
            "--recompute-granularity full\n--recompute-method uniform\n--recompute-num-layers 1\n");
  EXPECT_EQ(recompute("{layers: 1}"),
            "--recompute-granularity full\n--recompute-method block\n--recompute-num-layers 1\n");
  EXPECT_EQ(recompute("{ops: [attention, mlp]}"),
            "--recompute-granularity selective\n--recompute-modules core_attn mlp\n");
  EXPECT_EQ(recompute("{modules: [layernorm, mlp]}"),
            "--recompute-granularity selective\n--recompute-modules layernorm mlp\n");
}

}  // namespace
}  // namespace pipewright::test
