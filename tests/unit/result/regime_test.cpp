#include "result/regime.hpp"

#include <gtest/gtest.h>

namespace pipewright {
namespace {

TEST(Regime, says_what_ran_how_far_and_how_well_its_kernels_are_known) {
  EXPECT_EQ((Regime{"megatron", "h100-sxm", "bf16", 1, 0.1}).text(),
            "megatron on h100-sxm, bf16, 1 node, measured kernels");
  EXPECT_EQ((Regime{"nanotron", "h100-sxm", "bf16", 16, 0.3}).text(),
            "nanotron on h100-sxm, bf16, 5 to 16 nodes, kernels measured in part");
  EXPECT_EQ((Regime{"images", "", "fp32", 64, 1}).text(),
            "images on other devices, fp32, more than 16 nodes, kernels by data sheet");
  EXPECT_EQ((Regime{.framework = "given"}).text(), "times that the experiment gives");
}

}  // namespace
}  // namespace pipewright
