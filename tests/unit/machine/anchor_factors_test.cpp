#include "machine/anchor_factors.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "config/catalogue.hpp"
#include "experiment/anchor.hpp"
#include "machine/machine.hpp"

namespace pipewright {
namespace {

Prices prices_with(const AnchorParts& factors) {
  config::Value document = config::parse(
      "model: gpt3-6.7b\ncluster: {base: selene-96, nodes: 2}\nparallel: {data: 16}\nbatch: "
      "{global: 16}\n"
      "schedule: 1f1b\n",
      "e.yaml");
  document.set(
      "anchor",
      anchor_document(Anchor{
          .framework = "megatron", .device = "a100-sxm-80g", .runs = 1, .factors = factors}));
  const config::Catalogue catalogue;
  const Experiment experiment = read_experiment(resolve(document, catalogue));
  return read_machine(experiment, catalogue).prices(experiment);
}

double ratio(Time a, Time b) { return in_seconds(a) / in_seconds(b); }

TEST(AnchorFactors, each_changes_its_own_part) {
  const Prices plain = prices_with({1, 1, 1}), slow = prices_with({2, 3, 4});
  constexpr Work work{.kernel = Kernel::gemm,
                      .dtype = DType::bf16,
                      .flops = 2.0 * 4096 * 4096 * 4096,
                      .read = Bytes{2 * 2 * 4096 * 4096},
                      .written = Bytes{2 * 4096 * 4096},
                      .shape = {1, 4096, 4096, 4096}};
  EXPECT_NEAR(ratio(slow.compute(work, 0), plain.compute(work, 0)), 2, 1e-6);
  const Bytes bytes{1 << 26};
  EXPECT_EQ(slow.transfer(0, 1, bytes), plain.transfer(0, 1, bytes)) << "inside a node";
  EXPECT_NEAR(ratio(slow.transfer(0, 8, bytes), plain.transfer(0, 8, bytes)), 3, 1e-6);
  const std::vector<int32_t> near = {0, 1, 2, 3}, far = {0, 8};
  const auto all_reduce = CollectiveKind::all_reduce;
  EXPECT_EQ(slow.collective(all_reduce, near, bytes), plain.collective(all_reduce, near, bytes));
  EXPECT_NEAR(
      ratio(slow.collective(all_reduce, far, bytes), plain.collective(all_reduce, far, bytes)), 3,
      1e-6);
  EXPECT_NEAR(ratio(slow.host.launch, plain.host.launch), 4, 1e-6);
  EXPECT_NEAR(ratio(slow.host.collective, plain.host.collective), 4, 1e-6);
}

}  // namespace
}  // namespace pipewright
