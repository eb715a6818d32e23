#include "run/uncertainty.hpp"

#include <gtest/gtest.h>

#include "experiments.hpp"
#include "price_rules.hpp"

namespace pipewright::test {
namespace {

/// Ops of one rank, one after the other: a product of 3 s, attention of 4 s, a message of 12 s.
struct Chain {
  Program program;
  Timeline timeline;
  Prices prices;
  Metrics metrics;
};

/// Products were measured, attention is extrapolated.
class TenPercent final : public KernelTrust {
 public:
  KernelUncertainty of(const Work& work, int32_t) const override {
    if (work.kernel == Kernel::gemm) return {0, 0.1, false};
    return {error_kinds - 1, 0.1, true};
  }
};

uint32_t add_compute(Program& program, Kernel kernel) {
  program.types.push_back({.kind = OpKind::compute,
                           .first_work = static_cast<uint32_t>(program.works.size()),
                           .work_count = 1});
  program.works.push_back({.kernel = kernel});
  return static_cast<uint32_t>(program.types.size() - 1);
}

Chain chain(int multiplicity = 1) {
  ProgramBuilder builder;
  builder.program.ranks = {{.multiplicity = multiplicity}, {.device = 1}};
  const LaneId lane = builder.add_lane(0, Stream::compute);
  const OpId product = builder.add({.type = add_compute(builder.program, Kernel::gemm)});
  const OpId attention = builder.add({.type = add_compute(builder.program, Kernel::attention)});
  builder.program.types.push_back({.kind = OpKind::transfer});
  const OpId message = builder.add({.type = 2, .peer = 1});
  builder.append(lane, product);
  builder.append(lane, attention);
  builder.depend(attention, message);
  Chain chain{.program = std::move(builder).finish()};
  chain.timeline.spans = {{{}, {}, seconds(3)},
                          {seconds(3), seconds(3), seconds(7)},
                          {seconds(7), seconds(7), seconds(19)}};
  chain.metrics.iteration = chain.metrics.makespan = seconds(19);
  chain.metrics.critical_path = critical_path(chain.program, chain.timeline);
  chain.prices = prices_by({.compute = [](const Work& work, int32_t) {
    return seconds(work.kernel == Kernel::gemm ? 3 : 4);
  }});
  chain.prices.kernel_trust = std::make_shared<const TenPercent>();
  return chain;
}

Uncertainty of(const Chain& c) {
  return uncertainty(c.program, c.timeline, c.prices, c.metrics).value();
}

// Deviations of 0.3 s and 0.4 s make one of 0.5 s; nine of ten normal numbers are below 1.2816.
TEST(Uncertainty, kinds_of_kernels_err_independently) {
  EXPECT_NEAR(in_seconds(of(chain()).p90), 19 + 1.2816 * 0.5, 1e-9);
  EXPECT_NEAR(in_seconds(of(chain()).p10), 19 - 1.2816 * 0.5, 1e-9);
}

// 12 s x 10 % beside the 0.5 s: a deviation of 1.3 s.
TEST(Uncertainty, messages_err_together) {
  Chain c = chain();
  c.prices.network_error = 0.1;
  EXPECT_NEAR(in_seconds(of(c).p90), 19 + 1.2816 * 1.3, 1e-9);
}

TEST(Uncertainty, an_iteration_of_many_has_its_share) {
  Chain c = chain();
  c.metrics.iteration = milliseconds(1900);
  EXPECT_NEAR(in_seconds(of(c).p90), 1.9 + 1.2816 * 0.05, 1e-9);
}

TEST(Uncertainty, extrapolated_ops_count_on_every_device) {
  EXPECT_EQ(of(chain()).extrapolated_ops, 1);
  EXPECT_EQ(of(chain(16)).extrapolated_ops, 16);
}

TEST(Uncertainty, what_nobody_measured_has_none) {
  Chain c = chain();
  c.prices.kernel_trust.reset();
  EXPECT_FALSE(uncertainty(c.program, c.timeline, c.prices, c.metrics));
}

TEST(Uncertainty, runs_have_it_by_a_measured_profile_only) {
  const std::string plan = "parallel: {tensor: 2, pipeline: 2}\nschedule: 1f1b\nprecision: bf16\n";
  const auto measured = run(small_gpt(plan)).result;
  ASSERT_TRUE(measured.ranges.uncertainty);
  EXPECT_LT(measured.ranges.uncertainty->p10, measured.metrics.iteration);
  EXPECT_GT(measured.ranges.uncertainty->p90, measured.metrics.iteration);
  EXPECT_FALSE(run(four_ranks("1f1b")).result.ranges.uncertainty);
}

TEST(Uncertainty, folded_is_unfolded) {
  const auto gpt = small_gpt("parallel: {tensor: 2, pipeline: 2}\nschedule: 1f1b\n");
  const auto folded = run(gpt).result.ranges.uncertainty,
             all = run(gpt, false).result.ranges.uncertainty;
  ASSERT_TRUE(folded && all);
  EXPECT_EQ(folded->extrapolated_ops, all->extrapolated_ops);
  EXPECT_NEAR(in_seconds(folded->p90), in_seconds(all->p90), 1e-6);
}

}  // namespace
}  // namespace pipewright::test
