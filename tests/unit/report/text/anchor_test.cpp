#include "report/text/anchor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pipewright {
namespace {

using testing::HasSubstr;

// A deviation of 0.078 is 10 % either side for four in five: e^(0.078 x 1.2816) is 1.105.
TEST(AnchorText, has_each_factor_with_its_doubt_and_each_run_with_its_errors) {
  AnchorFit fit{.anchor = prior_anchor(), .runs = {{"mine", 2, 1, 1.9}}};
  fit.anchor.framework = "megatron";
  fit.anchor.device = "h100-sxm";
  fit.anchor.runs = 1;
  fit.anchor.nodes = 4;
  fit.anchor.factors = {1, 1.5, 1};
  fit.anchor.covariance[0][0] = 0.078 * 0.078;
  const std::string text = anchor_report(fit).text();
  EXPECT_THAT(text, HasSubstr("An anchor for megatron on h100-sxm, of 1 run on 4 nodes"));
  EXPECT_THAT(text, HasSubstr("1.000x  0.90 to 1.11"));
  EXPECT_THAT(text, HasSubstr("1.500x"));
  EXPECT_THAT(text, HasSubstr("mine       2 s        1 s  -50.0 %     1.9 s  -5.0 %"));
}

TEST(AnchorText, warns_of_runs_that_the_factors_do_not_explain) {
  AnchorFit fit{.anchor = prior_anchor(), .runs = {{"a", 6, 2, 2.5}, {"b", 2.2, 2, 2.1}}};
  const std::string text = anchor_report(fit).text();
  EXPECT_THAT(text,
              HasSubstr("warning: run 'a' took 3.0 times what was predicted: kernels, network "
                        "and host do not explain it\n"));
  EXPECT_EQ(text.find("run 'b'"), std::string::npos);
}

}  // namespace
}  // namespace pipewright
