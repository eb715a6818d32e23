// The published runs stay as well predicted as the README says. The bounds leave a little room:
// they are there to catch what makes predictions worse, not to prove them good.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "config/catalogue.hpp"
#include "study/validate.hpp"

namespace pipewright::test {
namespace {

const Validation& validation() {
  static const Validation all = [] {
    const config::Catalogue catalogue;
    const config::Value document = catalogue.load("validation", config::scalar("published-runs"));
    return validate(read_measured_runs(document), catalogue, {}, 0, [](size_t) {});
  }();
  return all;
}

/// Of the group's iteration times.
double median_of(const std::string& name) {
  for (const auto& [group, accuracy] : validation().groups)
    if (group == name) return accuracy.median_abs_error.value();
  ADD_FAILURE() << "no group " << name;
  return 1;
}

/// Of one run's iteration time.
double error_of(const std::string& name) {
  for (const ValidationRun& run : validation().runs)
    if (run.name == name && run.predicted)
      return std::abs(*run.predicted->iteration_time_s / *run.measured.iteration_time_s - 1);
  ADD_FAILURE() << "no prediction of " << name;
  return 1;
}

TEST(PublishedRuns, most_can_be_expressed) {
  const auto predicted =
      std::count_if(validation().runs.begin(), validation().runs.end(),
                    [](const ValidationRun& run) { return run.predicted.has_value(); });
  EXPECT_GE(predicted, 680);
}

TEST(PublishedRuns, half_of_the_groups_are_within_a_seventh) {
  EXPECT_LT(validation().overall.median_abs_error.value(), 0.145);
  EXPECT_LT(validation().overall.p90_abs_error.value(), 0.32);
}

TEST(PublishedRuns, configurations_are_put_in_their_order) {
  EXPECT_GT(validation().overall.rank_correlation.value(), 0.78);
}

TEST(PublishedRuns, what_ran_is_said_to_fit) {
  EXPECT_LT(validation().overall.false_oom.value(), 0.025);
}

TEST(PublishedRuns, megatron_on_a100_and_h100_is_met) {
  EXPECT_LT(median_of("sc21_table1"), 0.04);
  EXPECT_LT(error_of("sc21_t2_ptdp_175b_384"), 0.03);
  // Its boundaries are sent in parts, as its authors' were, which leaves it 5.0 % fast.
  EXPECT_LT(error_of("sc21_t2_ptdp_530b_1120"), 0.06);
  EXPECT_LT(median_of("korthikanti_table5"), 0.07);
  EXPECT_LT(median_of("vtrain_multi_18p4b"), 0.08);
  EXPECT_LT(median_of("dgxc_8b"), 0.05);
}

TEST(PublishedRuns, sharded_weights_on_a100_are_met) {
  EXPECT_LT(median_of("lf_a100_40_7b"), 0.04);
  EXPECT_LT(median_of("lf_a100_80_13b"), 0.09);
  EXPECT_LT(median_of("lf_a100_40_1b"), 0.06);
  EXPECT_LT(error_of("lf_a100_40_1b_s32768_g8_mb1"), 0.10);
}

// PyTorch's own kernels; the first FlashAttention on H100, up to 65,536 tokens.
TEST(PublishedRuns, sharded_weights_on_h100_are_met_to_a_tenth) {
  EXPECT_LT(median_of("lf_h100_bf16_3b"), 0.08);
  EXPECT_LT(error_of("lf_h100_bf16_3b_s65536_g8_mb1"), 0.08);
  EXPECT_LT(error_of("tt_8b_g8_eager"), 0.08);
  EXPECT_LT(median_of("torchtitan_t1"), 0.12);
  EXPECT_LT(median_of("torchtitan_asynctp"), 0.17);
}

// Early DeepSpeed waited for weights and copied them.
TEST(PublishedRuns, sharded_weights_of_2021_are_met) {
  EXPECT_LT(error_of("sc21_t2_zero3_175b_384"), 0.08);
  EXPECT_LT(error_of("sc21_t2_zero3_530b_640"), 0.08);
}

TEST(PublishedRuns, bert_binned_by_length_is_met) {
  EXPECT_LT(median_of("dle_bert_dgx_a100_80"), 0.06);
}

}  // namespace
}  // namespace pipewright::test
