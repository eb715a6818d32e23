// Machines that are better or worse than their profile says.
#include "machine/machine_parts.hpp"

#include <gtest/gtest.h>

#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Prices with(const MachineFactors& factors) {
  const Experiment e =
      read_experiment(small_gpt("parallel: {tensor: 8, pipeline: 2}\nschedule: 1f1b\n"));
  RunOptions options;
  options.machine_factors = factors;
  return read_machine(e, config::Catalogue{}, options).prices(e);
}

TEST(MachineParts, measured_kernels_change_as_a_roofline_does) {
  const Work product{.kernel = Kernel::gemm,
                     .dtype = DType::bf16,
                     .flops = 2.0 * 8192 * 8192 * 8192,
                     .read = Bytes{2 * 2 * 8192 * 8192},
                     .written = Bytes{2 * 8192 * 8192},
                     .shape = {1, 8192, 8192, 8192}};
  const double before = in_seconds(with({}).compute(product, 0));
  const double after = in_seconds(with({.flops = 2}).compute(product, 0));
  EXPECT_LT(after, 0.7 * before);
  EXPECT_GE(after, 0.49 * before);
}

TEST(MachineParts, measured_messages_change_as_their_links_do) {
  const Bytes much{1 << 30};
  const Prices alike = with({}), wide = with({.links = LinkKind::nvlink, .bandwidth = 2});
  EXPECT_NEAR(in_seconds(wide.transfer(0, 1, much)), in_seconds(alike.transfer(0, 1, much)) / 2,
              0.05 * in_seconds(alike.transfer(0, 1, much)));
  EXPECT_EQ(wide.transfer(0, 8, much), alike.transfer(0, 8, much));  // over no NVLink
}

}  // namespace
}  // namespace pipewright::test
