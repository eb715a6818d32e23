#include "run/pass_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "simulate/drawn_run.hpp"
#include "support/experiments.hpp"

namespace pipewright::test {
namespace {

Run one_f_one_b(const std::string& rest = "") {
  return run(small_gpt("parallel: {tensor: 1, pipeline: 4, data: 4}\nschedule: 1f1b\n" + rest));
}

double sum_of(const std::vector<PassKernel>& kernels) {
  double sum = 0;
  for (const PassKernel& kernel : kernels) sum += kernel.share;
  return sum;
}

TEST(PassKernels, kernels_of_a_pass_take_no_more_than_it) {
  const auto made = one_f_one_b();
  const PassKernels kernels = drawn_run(made, config::Catalogue{}, {}).kernels;
  ASSERT_EQ(kernels.of_type.size(), made.program.types.size());
  for (const std::vector<PassKernel>& of_type : kernels.of_type)
    if (!of_type.empty()) {
      EXPECT_LE(sum_of(of_type), 1.001);
    }
}

// Passes of a given time are one kernel, which no host keeps waiting.
TEST(PassKernels, a_pass_of_a_given_time_is_one_kernel) {
  const PassKernels kernels = drawn_run(run(four_ranks("1f1b")), config::Catalogue{}, {}).kernels;
  for (const std::vector<PassKernel>& of_type : kernels.of_type)
    if (!of_type.empty()) {
      EXPECT_NEAR(sum_of(of_type), 1, 1e-9);
    }
}

// Eight blocks on four stages: a forward pass meets the blocks of its stage from the first to the
// last, its backward pass from the last to the first.
TEST(PassKernels, layers_come_in_the_order_of_the_pass) {
  const auto made = one_f_one_b();
  const PassKernels kernels = drawn_run(made, config::Catalogue{}, {}).kernels;
  for (size_t type = 0; type < kernels.of_type.size(); ++type) {
    const OpType& of = made.program.types[type];
    if (of.kind != OpKind::compute) continue;
    std::vector<int32_t> layers;
    for (const PassKernel& kernel : kernels.of_type[type])
      if (kernel.layer >= 0) layers.push_back(kernel.layer);
    if (of.pass == schedule::Pass::backward) std::ranges::reverse(layers);
    EXPECT_TRUE(std::ranges::is_sorted(layers)) << "stage " << of.stage;
  }
}

TEST(PassKernels, every_block_is_in_a_pass) {
  const auto made = one_f_one_b();
  const PassKernels kernels = drawn_run(made, config::Catalogue{}, {}).kernels;
  std::set<std::string> met;
  for (const auto& list : kernels.of_type)
    for (const PassKernel& kernel : list)
      if (kernel.layer >= 0) met.insert(kernels.layers[static_cast<size_t>(kernel.layer)]);
  EXPECT_EQ(std::ranges::count_if(met, [](auto& name) { return name.starts_with("block"); }), 8);
}

TEST(PassKernels, what_is_run_again_is_told_only_where_it_is) {
  const auto runs_again = [](const pipewright::Run& made) {
    const PassKernels kernels = drawn_run(made, config::Catalogue{}, {}).kernels;
    return std::ranges::any_of(kernels.of_type, [](const auto& list) {
      return std::ranges::any_of(
          list, [](const PassKernel& k) { return k.purpose == Purpose::recompute; });
    });
  };
  EXPECT_FALSE(runs_again(one_f_one_b()));
  EXPECT_TRUE(runs_again(one_f_one_b("recompute: full\n")));
}

}  // namespace
}  // namespace pipewright::test
