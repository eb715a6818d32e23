#include "study/reproduce.hpp"

#include <gtest/gtest.h>

#include "config/catalogue.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

/// Four even stages, F 1 ms, B 2 ms, 8 micro-batches: GPipe and 1F1B take 11 x 3 ms.
const std::string four_stages =
    "    experiment:\n"
    "      model: {synthetic: {devices: 4, microbatches: 8, forward: 1 ms, backward: 2 ms}}\n"
    "      cluster: {devices: 4, link: {latency: 0 s}}\n"
    "      schedule: 1f1b\n";

/// A claim that is worked out live, by `live`.
ClaimResult worked_out(const std::string& check, ReproduceOptions options) {
  const config::Catalogue catalogue;
  const config::Value value = experiment(
      "source: a test\nclaims:\n"
      "  - {name: c, claim: x, says: 1, tolerance: 5%, verdict: reproduced, live: " +
      check + "}\n");
  return reproduce({read_paper("p", value, catalogue)}, catalogue, options).front().claims[0];
}

Reproduction reproduced(const std::string& claim, bool vary = false) {
  const config::Catalogue catalogue;
  const config::Value value =
      experiment("source: a test\nclaims:\n  - name: c\n    claim: x\n" + claim);
  return reproduce({read_paper("p", value, catalogue)}, catalogue, {.vary = vary}).front();
}

// zb-h1: 8 x 3 + 3 x (1 + 1 - 1) = 27 ms against 33.
TEST(Reproduce, the_ratio_is_how_much_better_the_system_is) {
  const ClaimResult claim =
      reproduced("    says: 1.2\n    verdict: reproduced\n" + four_stages +
                 "    system: {schedule: zb-h1}\n    baseline: {schedule: 1f1b}\n")
          .claims[0];
  EXPECT_DOUBLE_EQ(claim.ratio.value(), 33.0 / 27);
  EXPECT_EQ(claim.verdict, Verdict::reproduced);
}

// Of a gain more is better: samples a second, 8/27 against 8/33.
TEST(Reproduce, of_a_gain_more_is_better) {
  const ClaimResult claim =
      reproduced(
          "    says: 1.2\n    tolerance: 5%\n    verdict: reproduced\n"
          "    quantity: samples_per_s\n" +
          four_stages + "    system: {schedule: zb-h1}\n    baseline: {schedule: 1f1b}\n")
          .claims[0];
  EXPECT_NEAR(claim.ratio.value(), 33.0 / 27, 1e-12);
}

// 1F1B takes 33 ms. Printed as 30 it is 30/33 as quick as said, as 66 twice as quick.
TEST(Reproduce, a_printed_figure_stands_in_place_of_a_baseline) {
  const auto claim = [](const std::string& cases, const std::string& more) {
    return reproduced("    says: 1\n    verdict: reproduced\n" + four_stages +
                      "    system: {schedule: 1f1b}\n    cases: " + cases + "\n" + more)
        .claims[0];
  };
  const ClaimResult close = claim("[{name: a, printed: 0.03}]", "");
  EXPECT_DOUBLE_EQ(close.ratio.value(), 30.0 / 33);
  EXPECT_EQ(close.verdict, Verdict::reproduced);
  EXPECT_EQ(claim("[{name: a, printed: 0.066}]", "").verdict, Verdict::contradicted);
  const auto error = [&](const std::string& cases, const std::string& more) {
    return error_of([&] { claim(cases, more); });
  };
  EXPECT_NE(error("[{name: a, printed: 0.03}]", "    baseline: {schedule: gpipe}\n")
                .find("have printed figures, which are the baseline"),
            std::string::npos);
  EXPECT_NE(error("[{name: a, printed: 0.03}, {name: b}]", "")
                .find("either all cases have a printed figure or none has"),
            std::string::npos);
}

// Chimera cannot be on three stages, dualpipe not with 8 micro-batches on 6; 1F1B can.
TEST(Reproduce, the_best_alternative_that_can_be_counts) {
  const ClaimCase one =
      reproduced("    says: 1\n    tolerance: 5%\n    verdict: reproduced\n" + four_stages +
                 "    system: [{schedule: {name: interleaved-1f1b, virtual: 3, group: 7}},"
                 " {schedule: gpipe}, {name: best, schedule: zb-h1}]\n"
                 "    baseline: {schedule: zb-h1}\n")
          .claims[0]
          .cases[0];
  EXPECT_EQ(one.system, "best");
  EXPECT_EQ(one.ratio, 1.0);
}

// Bubbles over work with m micro-batches: 1F1B (m + 3)/m, zb-h1 (3m + 3)/3m: 22/16 and 11/8 ...
TEST(Reproduce, up_to_takes_the_best_case_and_about_the_median) {
  const std::string cases =
      four_stages +
      "    system: {schedule: zb-h1}\n    baseline: {schedule: 1f1b}\n"
      "    cases: [{model.synthetic.microbatches: 4},"
      " {model.synthetic.microbatches: 8}, {model.synthetic.microbatches: 16}]\n"
      "    says: 1.4\n    tolerance: 5%\n    verdict: reproduced\n";
  // 3 (m + 3) / (3 m + 3) = (m + 3) / (m + 1).
  EXPECT_NEAR(reproduced(cases).claims[0].ratio.value(), 11.0 / 9, 1e-12);
  EXPECT_NEAR(reproduced(cases + "    sense: up-to\n").claims[0].ratio.value(), 7.0 / 5, 1e-12);
}

TEST(Reproduce, what_had_to_be_guessed_is_not_testable_whatever_comes_out) {
  const ClaimResult claim =
      reproduced("    says: 1\n    tolerance: 5%\n    verdict: not-testable\n" + four_stages +
                 "    system: {schedule: gpipe}\n    baseline: {schedule: 1f1b}\n")
          .claims[0];
  EXPECT_EQ(claim.ratio, 1.0);
  EXPECT_EQ(claim.verdict, Verdict::not_testable);
}

TEST(Reproduce, assumptions_are_varied_on_both_sides) {
  const ClaimResult claim =
      reproduced("    says: 1.2\n    tolerance: 5%\n    verdict: reproduced\n" + four_stages +
                     "    system: {schedule: zb-h1}\n    baseline: {schedule: 1f1b}\n"
                     "    vary: {model.synthetic.microbatches: [4]}\n",
                 true)
          .claims[0];
  ASSERT_EQ(claim.variations.size(), 1u);
  EXPECT_NEAR(claim.variations[0].ratio.value(), 7.0 / 5, 1e-12);
}

TEST(Reproduce, broadcast_is_set_against_sending_every_tile) {
  const ClaimResult claim =
      reproduced(
          "    says: 8\n    tolerance: 1%\n    verdict: reproduced\n"
          "    reshard: {cluster: {node: p3.8xlarge, nodes: 4}, changes: ['RRR@(2,4) -> "
          "RRR@(2,4)'], bytes: 1 GiB, system: broadcast, baseline: send-recv}\n")
          .claims[0];
  // Eight receivers on two hosts behind one port each, against once a host and pipelined.
  EXPECT_NEAR(claim.ratio.value(), 8, 0.08);
}

TEST(Reproduce, mistakes_are_told_at_their_line) {
  const auto message = [](const std::string& claim) {
    return error_of([&] { reproduced(claim); });
  };
  EXPECT_NE(message("    says: 1\n    tolerance: 5%\n    verdict: perhaps\n").find("x.yaml:7:"),
            std::string::npos);
  EXPECT_NE(message("    says: 1\n    tolerance: 5%\n    verdict: reproduced\n")
                .find("needs an experiment, reshard or live"),
            std::string::npos);
  EXPECT_NE(
      message("    says: 1\n    tolerance: 5%\n    verdict: reproduced\n    quantity: mfus\n" +
              four_stages + "    system: {}\n    baseline: {}\n")
          .find("did you mean 'mfu'"),
      std::string::npos);
}

// 3 / 2 is outside of 5 % about 1, 2.04 / 2 within; the worst of three cases counts.
TEST(Reproduce, what_is_worked_out_live_is_judged_by_its_ratio) {
  ReproduceOptions options;
  options.live = [](const std::string& check) {
    const ClaimCase same{.system_value = 2, .baseline_value = 2};
    ClaimCase worst = same;
    worst.system_value = check == "adjoint" ? 2.04 : 3;
    return std::vector<ClaimCase>{same, worst, same};
  };
  const ClaimResult close = worked_out("adjoint", options);
  EXPECT_DOUBLE_EQ(close.ratio.value(), 1.02);
  EXPECT_EQ(close.verdict, Verdict::reproduced);
  EXPECT_EQ(worked_out("spatial-split", options).verdict, Verdict::contradicted);
}

TEST(Reproduce, without_a_live_side_a_live_claim_is_not_tested) {
  const ClaimResult claim = worked_out("adjoint", {});
  EXPECT_FALSE(claim.ratio);
  EXPECT_EQ(claim.verdict, Verdict::not_testable);
  EXPECT_NE(error_of([] { worked_out("adjiont", {}); }).find("'adjiont' is no live check; one of"),
            std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
