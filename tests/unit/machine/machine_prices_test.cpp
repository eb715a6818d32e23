// The prices of a machine.
#include <gtest/gtest.h>

#include "machine/machine.hpp"
#include "support/error_of.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Prices prices_of(const config::Value& document, const RunOptions& options = {}) {
  const Experiment e = read_experiment(document);
  return read_machine(e, config::Catalogue{}, options).prices(e);
}

constexpr const char* plan = "parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n";
constexpr Work product{.kernel = Kernel::gemm,
                       .dtype = DType::bf16,
                       .flops = 2.0 * 4096 * 4096 * 4096,
                       .read = Bytes{2 * 2 * 4096 * 4096},
                       .written = Bytes{2 * 4096 * 4096},
                       .shape = {1, 4096, 4096, 4096}};
constexpr std::array<int32_t, 8> node{0, 1, 2, 3, 4, 5, 6, 7};

TEST(MachinePrices, a_measured_machine_knows_how_sure_it_is) {
  const Prices prices = prices_of(small_gpt(plan));
  ASSERT_TRUE(prices.kernel_trust);
  EXPECT_GT(prices.kernel_trust->of(product, 0).error, 0);
  EXPECT_GT(prices.compute(product, 0), Time{});
  EXPECT_EQ(prices.host.launch > Time{}, true);
}

TEST(MachinePrices, data_sheets_are_not_measured) {
  EXPECT_FALSE(prices_of(small_gpt(std::string(plan) + "profile: datasheet\n")).kernel_trust);
}

TEST(MachinePrices, collectives_of_a_profile_hold_processors) {
  const Prices prices = prices_of(small_gpt(plan));
  ASSERT_TRUE(prices.device_load);
  const double held =
      prices.device_load->processors_held(CollectiveKind::all_reduce, node, Bytes{1 << 28}).value();
  EXPECT_GT(held, 0);
  EXPECT_LT(held, 0.5);
  EXPECT_TRUE(prices.source->collective_moving(CollectiveKind::all_reduce, node, Bytes{1 << 28}));
}

TEST(MachinePrices, expanded_collectives_rest_on_no_profile) {
  const Prices prices = prices_of(small_gpt(plan), {.expand_collectives = true});
  EXPECT_FALSE(prices.device_load);
  EXPECT_FALSE(prices.source->collective_moving(CollectiveKind::all_reduce, node, Bytes{1 << 28}));
  EXPECT_GT(prices.collective(CollectiveKind::all_reduce, node, Bytes{1 << 28}), Time{});
}

TEST(MachinePrices, stragglers_compute_longer) {
  const Prices prices =
      prices_of(small_gpt(std::string(plan) + "stragglers: [{device: 9, slowdown: 2}]\n"));
  EXPECT_EQ(prices.slowdown_of(9), 2);
  EXPECT_EQ(prices.slowdown_of(8), 1);
}

TEST(MachinePrices, a_precision_that_the_device_lacks_is_blamed) {
  const Prices prices = prices_of(small_gpt(std::string(plan) + "precision: bf16\n"));
  Work eight_bits = product;
  eight_bits.dtype = DType::fp8;
  EXPECT_NE(error_of([&] { prices.compute(eight_bits, 0); }).find("x.yaml:"), std::string::npos);
}

}  // namespace
}  // namespace pipewright::test
